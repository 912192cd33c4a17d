#include "Calls.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stretto::compiler {

static const MpiCall table[] = {
    // name, kind, Fortran, arguments, status, request, begin, end
    {"MPI_Send", Kind::send, false, 6, -1, -1, "stretto_send_begin", "stretto_send_end"},
    {"mpi_send_", Kind::send, true, 7, -1, -1, "stretto_send_begin_f", "stretto_send_end_f"},
    {"MPI_Isend", Kind::send, false, 7, -1, 6, "stretto_send_begin", "stretto_isend_end"},
    {"mpi_isend_", Kind::send, true, 8, -1, 6, "stretto_send_begin_f", "stretto_isend_end_f"},
    {"MPI_Recv", Kind::receive, false, 7, 6, -1, "stretto_recv_begin", "stretto_recv_end"},
    {"mpi_recv_", Kind::receive, true, 8, 6, -1, "stretto_recv_begin_f", "stretto_recv_end_f"},
};

// MPI 4.1, chapter 3 and section 4.2: operations that send or receive a message.
static const char *const point_to_point[] = {
    "Send",
    "Bsend",
    "Ssend",
    "Rsend",
    "Isend",
    "Ibsend",
    "Issend",
    "Irsend",
    "Recv",
    "Irecv",
    "Mrecv",
    "Imrecv",
    "Sendrecv",
    "Isendrecv",
    "Sendrecv_replace",
    "Isendrecv_replace",
    "Send_init",
    "Bsend_init",
    "Ssend_init",
    "Rsend_init",
    "Recv_init",
    "Psend_init",
    "Precv_init",
    "Start",
    "Startall",
};

static StringRef name_of(const CallBase &call) {
    const auto *callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
    return callee ? callee->getName() : StringRef();
}

const MpiCall *lookup(const CallBase &call) {
    if (!isa<CallInst, InvokeInst>(call)) return nullptr;
    for (const MpiCall &entry : table)
        if (name_of(call) == entry.name && call.arg_size() == entry.arguments) return &entry;
    return nullptr;
}

unsigned size_of_type(const Value *type) {
    type = type->stripPointerCasts();
    if (const auto *handle = dyn_cast<ConstantInt>(type)) { // MPICH: the size is a part of the handle
        std::uint64_t bits = handle->getZExtValue();
        return bits >> 24 == 0x4c ? bits >> 8 & 0xff : 0;
    }
    const auto *variable = dyn_cast<GlobalVariable>(type); // Open MPI
    StringRef name = variable ? variable->getName() : StringRef();
    if (!name.consume_front("ompi_mpi_")) return 0;
    return StringSwitch<unsigned>(name)
        .Cases("char", "signed_char", "unsigned_char", "byte", 1)
        .Cases("int", "unsigned", "float", 4)
        .Cases("double", "long_long_int", 8)
        .Default(0);
}

std::string other_point_to_point(const CallBase &call) {
    StringRef name = name_of(call);
    if (name.consume_front("PMPI_") || name.consume_front("MPI_")) { // C
        for (const char *operation : point_to_point)
            if (name == operation || name == std::string(operation) + "_c") return ("MPI_" + name).str();
    } else if (name.consume_front("pmpi_") || name.consume_front("mpi_")) { // Fortran
        for (const char *operation : point_to_point) {
            std::string lower = StringRef(operation).lower();
            for (const char *suffix : {"_", "__", "_f08_", "_f08ts_"})
                if (name == lower + suffix) return std::string("MPI_") + operation;
        }
    }
    return {};
}

} // namespace stretto::compiler
