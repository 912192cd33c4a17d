#include "Directives.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stretto::compiler {

// Of stretto_range_send and stretto_range_recv.
namespace range {
enum { directive, first, elements, element_bytes, partner, tag, comm, arguments };
}

static constexpr unsigned text_in_directive = 6; // of struct stretto_directive

static bool is_range(const CallBase &call) {
    return is_contained({"stretto_range_send", "stretto_range_recv"}, name_of(call)) &&
           call.arg_size() == range::arguments;
}

static bool is_section(const CallBase &call) {
    return is_contained({"stretto_section_send", "stretto_section_recv"}, name_of(call));
}

Kind kind_of_directive(const CallBase &call) {
    StringRef name = name_of(call);
    return name.contains("send") ? Kind::send : Kind::receive;
}

std::string text_of_directive(const CallBase &call) {
    unsigned where = range::directive;
    if (is_contained({"stretto_range_isend", "stretto_range_irecv"}, name_of(call)))
        where = 5; // in place of MPI's communicator
    else if (!is_range(call) && !is_section(call))
        return {};
    std::string name = kind_of_directive(call) == Kind::send ? "send" : "recv";
    const auto *global = dyn_cast<GlobalVariable>(call.getArgOperand(where)->stripPointerCasts());
    const auto *content =
        global && global->hasInitializer() ? dyn_cast<ConstantStruct>(global->getInitializer()) : nullptr;
    if (!content || content->getNumOperands() <= text_in_directive) return name;
    const auto *text = dyn_cast<GlobalVariable>(content->getOperand(text_in_directive)->stripPointerCasts());
    const auto *words = text && text->hasInitializer() ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
    if (!words || !words->isCString()) return name;
    return name + "(" + words->getAsCString().str() + ")";
}

// MPI counts by ints.
static bool is_simple(const CallInst &call) {
    auto is_int = [&](unsigned argument) {
        const Value *value = call.getArgOperand(argument);
        const DataLayout &layout = call.getModule()->getDataLayout();
        return ComputeNumSignBits(value, layout) > 32;
    };
    return isa<ConstantPointerNull>(call.getArgOperand(range::comm)) &&
           isa<ConstantInt>(call.getArgOperand(range::element_bytes)) && is_int(range::element_bytes) &&
           is_int(range::elements);
}

// The directives of one exchange, in their order; none: they are not all in its block, and alike.
static SmallVector<CallInst *, 4> members_of(CallInst &exchange) {
    SmallVector<CallInst *, 4> members;
    const auto *many = dyn_cast<ConstantInt>(exchange.getArgOperand(1));
    std::uint64_t left = many ? many->getZExtValue() : 0;
    for (Instruction *one = exchange.getPrevNode(); one && left; one = one->getPrevNode()) {
        auto *call = dyn_cast<CallInst>(one);
        if (call && is_range(*call)) {
            if (!is_simple(*call)) return {};
            members.push_back(call);
            --left;
            continue;
        }
        const auto *intrinsic = dyn_cast<IntrinsicInst>(one);
        bool is_nothing = intrinsic && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd());
        if (!is_nothing && (one->mayWriteToMemory() || call)) return {};
    }
    if (left) return {};
    std::reverse(members.begin(), members.end());
    return members;
}

namespace {

class Apart {
public:
    explicit Apart(CallInst &exchange)
        : exchange(exchange), at(&exchange), entry(&*exchange.getFunction()->getEntryBlock().getFirstInsertionPt()),
          pointer(PointerType::getUnqual(exchange.getContext())) {}

    void replace(ArrayRef<CallInst *> members) {
        Type *request = at.getInt64Ty();
        auto *many = ConstantInt::get(at.getInt32Ty(), members.size());
        auto *requests = new AllocaInst(request, 0, many, "stretto.ranges", &*entry);
        unsigned started = 0;
        for (Kind kind : {Kind::receive, Kind::send})
            for (CallInst *member : members)
                if (kind_of_directive(*member) == kind)
                    start(*member, kind, at.CreateConstInBoundsGEP1_64(request, requests, started++));
        call("stretto_range_waitall", {many, requests, ConstantPointerNull::get(pointer)}, exchange);
        for (CallInst *member : members) member->eraseFromParent();
        exchange.eraseFromParent();
    }

private:
    void start(CallInst &member, Kind kind, Value *request) {
        call(kind == Kind::send ? "stretto_range_isend" : "stretto_range_irecv",
             {member.getArgOperand(range::first), as_int(member.getArgOperand(range::elements)),
              as_int(member.getArgOperand(range::element_bytes)), member.getArgOperand(range::partner),
              member.getArgOperand(range::tag), member.getArgOperand(range::directive), request},
             member);
    }

    Value *as_int(Value *value) {
        Type *integer = at.getInt32Ty();
        auto *extension = dyn_cast<CastInst>(value);
        return extension && extension->getSrcTy() == integer ? extension->getOperand(0)
                                                             : at.CreateTrunc(value, integer);
    }

    void call(const char *name, ArrayRef<Value *> arguments, const CallInst &of) {
        SmallVector<Type *, 8> types;
        for (Value *value : arguments) types.push_back(value->getType());
        FunctionCallee callee =
            exchange.getModule()->getOrInsertFunction(name, FunctionType::get(at.getInt32Ty(), types, false));
        if (auto *function = dyn_cast<Function>(callee.getCallee())) function->setDoesNotThrow();
        at.CreateCall(callee, arguments)->setDebugLoc(of.getDebugLoc());
    }

    CallInst &exchange;
    IRBuilder<> at;
    BasicBlock::iterator entry;
    PointerType *pointer;
};

} // namespace

bool take_directives_apart(Function &function) {
    SmallVector<CallInst *, 2> exchanges;
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallInst>(&instruction);
            call && name_of(*call) == "stretto_exchange" && call->arg_size() == 2)
            exchanges.push_back(call);
    bool changed = false;
    for (CallInst *exchange : exchanges) {
        SmallVector<CallInst *, 4> members = members_of(*exchange);
        if (members.empty()) continue;
        Apart(*exchange).replace(members);
        changed = true;
    }
    return changed;
}

Refusal why_not_apart(const CallBase &call) {
    if (is_section(call)) return {"its section may have gaps", {}, "send rows: an element and a count, or a[i][0:n]"};
    if (!isa<ConstantPointerNull>(call.getArgOperand(range::comm)))
        return {"it names a communicator", {}, "give the region that communicator"};
    return {"something else of its exchange stays: a section with gaps, a communicator, elements that no int counts",
            {},
            "put a statement between them"};
}

} // namespace stretto::compiler
