#include "Runtime.h"
#include "Options.h"

using namespace llvm;

namespace stretto::compiler {

FunctionCallee Runtime::note(StringRef name, ModRefInfo on_message, ArrayRef<Type *> types) {
    FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(Type::getVoidTy(context), types, false));
    if (auto *function = dyn_cast<Function>(callee.getCallee())) {
        function->setMemoryEffects(MemoryEffects::argMemOnly(on_message) | MemoryEffects::inaccessibleMemOnly());
        function->setDoesNotThrow();
        function->addParamAttr(1, no_capture(context));
    }
    return callee;
}

FunctionCallee Runtime::ready(Direction direction) {
    return note(direction == Direction::ascending ? "stretto_ready_below" : "stretto_ready_above", ModRefInfo::Ref,
                {handle, pointer, handle});
}

FunctionCallee Runtime::need(Direction direction) {
    return note(direction == Direction::ascending ? "stretto_need_below" : "stretto_need_above", ModRefInfo::ModRef,
                {handle, pointer, handle});
}

FunctionCallee Runtime::need_range() {
    return note("stretto_need", ModRefInfo::ModRef, {handle, pointer, handle, handle});
}

FunctionCallee Runtime::ready_blocks() {
    return note("stretto_ready_blocks", ModRefInfo::Ref, {handle, pointer, handle, handle, handle, handle});
}

FunctionCallee Runtime::need_blocks() {
    return note("stretto_need_blocks", ModRefInfo::ModRef, {handle, pointer, handle, handle, handle, handle});
}

FunctionCallee Runtime::strip() {
    FunctionCallee callee = module.getOrInsertFunction("stretto_strip", FunctionType::get(handle, {handle}, false));
    if (auto *function = dyn_cast<Function>(callee.getCallee())) {
        function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref));
        function->setDoesNotThrow();
    }
    return callee;
}

FunctionCallee Runtime::hold_unless() {
    return note("stretto_hold_unless", ModRefInfo::ModRef, {handle, pointer, Type::getInt32Ty(context)});
}

FunctionCallee Runtime::hold_if_overlap() {
    return note("stretto_hold_if_overlap", ModRefInfo::ModRef, {handle, pointer, pointer, pointer});
}

FunctionCallee Runtime::hold_if_other_overlaps() {
    return note("stretto_hold_if_other_overlaps", ModRefInfo::ModRef, {handle, pointer, pointer, pointer});
}

FunctionCallee Runtime::other(StringRef name, Type *result, ArrayRef<Value *> arguments) {
    SmallVector<Type *, 10> types;
    for (Value *argument : arguments) types.push_back(argument->getType());
    return module.getOrInsertFunction(name, FunctionType::get(result, types, false));
}

// struct stretto_call { uint32_t version, flags, line, column; const char *file, *function; const void *known; };
static constexpr unsigned abi_version = 1, checked = 1; // STRETTO_ABI_VERSION, STRETTO_CALL_CHECKED

GlobalVariable *Runtime::describe_call(const CallBase &call) {
    Decision told = stretto::compiler::describe(call);
    std::string name = "stretto.call." + told.function + "." + std::to_string(told.at.line) + "." +
                       std::to_string(told.at.column) + "." + told.call;
    if (told.at.line)
        if (GlobalVariable *same = module.getGlobalVariable(name, /*AllowInternal=*/true)) return same;
    IRBuilder<> builder(context);
    auto text = [&](const std::string &words) -> Constant * {
        if (words.empty()) return ConstantPointerNull::get(cast<PointerType>(pointer));
        Constant *content = ConstantDataArray::getString(context, words);
        auto *variable =
            new GlobalVariable(module, content->getType(), true, GlobalValue::PrivateLinkage, content, "stretto.text");
        variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
        return variable;
    };
    std::string file = told.at.line ? told.at.file : module.getSourceFileName();
    Constant *content =
        ConstantStruct::getAnon({builder.getInt32(abi_version), builder.getInt32(options::is_checked() ? checked : 0),
                                 builder.getInt32(told.at.line), builder.getInt32(told.at.column), text(file),
                                 text(told.function), ConstantPointerNull::get(cast<PointerType>(pointer))});
    return new GlobalVariable(module, content->getType(), false, GlobalValue::InternalLinkage, content, name);
}

} // namespace stretto::compiler
