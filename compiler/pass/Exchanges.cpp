#include "Exchanges.h"
#include "Calls.h"
#include "Compat.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stretto::compiler {

// Of both languages; Fortran's has ierr behind them.
enum { sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status, ierr };

static bool is_fortran(const CallBase &call) {
    return call.arg_size() > ierr;
}

bool is_exchange(const CallBase &call) {
    if (!isa<CallInst>(call)) return false;
    return (name_of(call) == "MPI_Sendrecv" && call.arg_size() == ierr) ||
           (name_of(call) == "mpi_sendrecv_" && call.arg_size() == ierr + 1);
}

namespace {

class Builder {
public:
    explicit Builder(CallInst &whole)
        : whole(whole), at(&whole), entry(&*whole.getFunction()->getEntryBlock().getFirstInsertionPt()) {
        at.SetCurrentDebugLocation(whole.getDebugLoc());
    }

    Exchange build() {
        const bool fortran = is_fortran(whole);
        IntegerType *integer = at.getInt32Ty();
        Value *request = place(at.getInt64Ty()); // MPI_Request is this long at most
        SmallVector<Value *, 3> errors;
        for (int call = 0; fortran && call < 3; ++call) errors.push_back(place(integer));
        auto error = [&](unsigned call) { return fortran ? errors[call] : nullptr; };
        CallInst *receive = make(fortran ? "stretto_irecv_f" : "stretto_irecv",
                                 {recvbuf, recvcount, recvtype, source, recvtag, comm}, {request, error(0)});
        CallInst *send =
            make(fortran ? "mpi_send_" : "MPI_Send", {sendbuf, sendcount, sendtype, dest, sendtag, comm}, {error(1)});
        CallInst *wait = make(fortran ? "mpi_wait_" : "MPI_Wait", {}, {request, whole.getArgOperand(status), error(2)});
        SmallVector<Value *, 3> results{receive, send, wait};
        for (unsigned call = 0; fortran && call < 3; ++call) results[call] = add(at.CreateLoad(integer, errors[call]));
        Value *result = nullptr;
        if (fortran || !whole.use_empty()) {
            result = first_error(results[0], first_error(results[1], results[2]));
            if (fortran) add(at.CreateStore(result, whole.getArgOperand(ierr)));
        }
        if (result && !fortran) whole.replaceAllUsesWith(result);
        whole.removeFromParent();
        return {&whole, receive, send, std::move(made), fortran ? nullptr : result};
    }

private:
    Value *place(Type *type) {
        auto *made_here = new AllocaInst(type, 0, "stretto.exchange", &*entry);
        made.push_back(made_here);
        return made_here;
    }
    CallInst *make(const char *name, ArrayRef<unsigned> of_whole, ArrayRef<Value *> more) {
        SmallVector<Value *, 8> arguments;
        SmallVector<Type *, 8> types;
        for (unsigned argument : of_whole) arguments.push_back(whole.getArgOperand(argument));
        for (Value *value : more)
            if (value) arguments.push_back(value);
        for (Value *value : arguments) types.push_back(value->getType());
        FunctionCallee callee =
            whole.getModule()->getOrInsertFunction(name, FunctionType::get(whole.getType(), types, false));
        return add(at.CreateCall(callee, arguments));
    }
    Value *first_error(Value *one, Value *other) {
        Value *failed = add(cast<Instruction>(at.CreateIsNotNull(one)));
        return add(cast<Instruction>(at.CreateSelect(failed, one, other)));
    }
    template <typename T>
    T *add(T *instruction) {
        made.push_back(instruction);
        return instruction;
    }

    CallInst &whole;
    IRBuilder<> at;
    BasicBlock::iterator entry;
    SmallVector<Instruction *, 12> made;
};

} // namespace

SmallVector<Exchange, 2> take_apart(Function &function) {
    SmallVector<CallInst *, 2> calls;
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallInst>(&instruction); call && is_exchange(*call)) calls.push_back(call);
    SmallVector<Exchange, 2> exchanges;
    for (CallInst *call : calls) exchanges.push_back(Builder(*call).build());
    return exchanges;
}

void put_together(Exchange &exchange) {
    exchange.whole->insertBefore(exchange.receive);
    if (exchange.result) exchange.result->replaceAllUsesWith(exchange.whole);
    for (Instruction *one : reverse(exchange.made)) one->eraseFromParent();
}

} // namespace stretto::compiler
