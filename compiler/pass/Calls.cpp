#include "Calls.h"
#include "Compat.h"

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
    {"MPI_Send_init", Kind::send, false, 7, -1, 6, "stretto_start_begin", "stretto_start_end", 0, false, true},
    {"mpi_send_init_", Kind::send, true, 8, -1, 6, "stretto_start_begin_f", "stretto_start_end", 0, false, true},
    {"MPI_Recv", Kind::receive, false, 7, 6, -1, "stretto_recv_begin", "stretto_recv_end"},
    {"mpi_recv_", Kind::receive, true, 8, 6, -1, "stretto_recv_begin_f", "stretto_recv_end_f"},
    {"MPI_Irecv", Kind::receive, false, 7, -1, 6, "stretto_wait_begin", "stretto_recv_end"},
    {"mpi_irecv_", Kind::receive, true, 8, -1, 6, "stretto_wait_begin_f", "stretto_recv_end_f"},
    {"MPI_Recv_init", Kind::receive, false, 7, -1, 6, "stretto_wait_begin", "stretto_recv_end"},
    {"mpi_recv_init_", Kind::receive, true, 8, -1, 6, "stretto_wait_begin_f", "stretto_recv_end_f"},
    // of MPI_Sendrecv (Exchanges.h)
    {"stretto_irecv", Kind::receive, false, 7, -1, 6, "stretto_wait_begin", "stretto_recv_end"},
    {"stretto_irecv_f", Kind::receive, true, 8, -1, 6, "stretto_wait_begin_f", "stretto_recv_end_f"},
    // of MDMP's directives (Directives.h): the type is the bytes of an element
    {"stretto_range_isend", Kind::send, false, 7, -1, 6, "stretto_range_begin", "stretto_range_isend_end"},
    {"stretto_range_irecv", Kind::receive, false, 7, -1, 6, "stretto_range_wait_begin", "stretto_range_recv_end"},
};

static const WaitCall waits[] = {
    // name, Fortran, arguments, count, requests, statuses
    {"MPI_Wait", false, 2, -1, 0, 1},
    {"mpi_wait_", true, 3, -1, 0, 1},
    {"MPI_Waitall", false, 3, 0, 1, 2},
    {"mpi_waitall_", true, 4, 0, 1, 2},
    {"stretto_range_waitall", false, 3, 0, 1, 2}, // of MDMP's
};

static const WaitCall starts[] = {
    {"MPI_Start", false, 1, -1, 0, -1},
    {"mpi_start_", true, 2, -1, 0, -1},
    {"MPI_Startall", false, 2, 0, 1, -1},
    {"mpi_startall_", true, 3, 0, 1, -1},
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

StringRef name_of(const CallBase &call) {
    const auto *callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
    return callee ? callee->getName() : StringRef();
}

const MpiCall *lookup(const CallBase &call) {
    if (!isa<CallInst, InvokeInst>(call)) return nullptr;
    for (const MpiCall &entry : table)
        if (name_of(call) == entry.name && call.arg_size() == entry.arguments) return &entry;
    return nullptr;
}

static const WaitCall *entry_of(ArrayRef<WaitCall> table, const CallBase &call) {
    if (!isa<CallInst, InvokeInst>(call)) return nullptr;
    for (const WaitCall &entry : table)
        if (name_of(call) == entry.name && call.arg_size() == entry.arguments) return &entry;
    return nullptr;
}

const WaitCall *lookup_wait(const CallBase &call) {
    return entry_of(waits, call);
}

const WaitCall *lookup_start(const CallBase &call) {
    return entry_of(starts, call);
}

std::optional<std::uint64_t> constant_handle(const Value *handle) {
    handle = handle->stripPointerCasts();
    const auto *cast = dyn_cast<ConstantExpr>(handle);
    if (cast && cast->getOpcode() == Instruction::IntToPtr) handle = cast->getOperand(0);
    const auto *number = dyn_cast<ConstantInt>(handle);
    return number ? std::optional(number->getZExtValue()) : std::nullopt;
}

// MPI 5.0, chapter 20: handles of types with a fixed size hold its logarithm.
static unsigned size_by_the_standard_abi(std::uint64_t handle) {
    switch (handle) {
    case 0x209: // MPI_INT
    case 0x20d: // MPI_UNSIGNED
    case 0x210: // MPI_FLOAT
        return 4;
    case 0x20b: // MPI_LONG_LONG
    case 0x20f: // MPI_UNSIGNED_LONG_LONG
    case 0x214: // MPI_DOUBLE
        return 8;
    default:
        return handle >> 6 == 0x240 >> 6 ? 1U << (handle >> 3 & 7) : 0;
    }
}

unsigned size_of_type(const Value *type) {
    if (const std::optional<std::uint64_t> handle = constant_handle(type)) {
        if (*handle >> 24 == 0x4c) return *handle >> 8 & 0xff; // MPICH: the size is a part of the handle
        return size_by_the_standard_abi(*handle);
    }
    type = type->stripPointerCasts();
    const auto *variable = dyn_cast<GlobalVariable>(type); // Open MPI
    StringRef name = variable ? variable->getName() : StringRef();
    if (!name.consume_front("ompi_mpi_")) return 0;
    return StringSwitch<unsigned>(name)
        .Cases("char", "signed_char", "unsigned_char", "byte", 1)
        .Cases("int", "unsigned", "float", 4)
        .Cases("double", "long_long_int", 8)
        .Default(0);
}

unsigned element_bytes(const CallBase &call) {
    const Value *type = call.getArgOperand(MpiCall::type);
    if (!starts_with(name_of(call), "stretto_range_")) return size_of_type(type);
    return static_cast<unsigned>(cast<ConstantInt>(type)->getZExtValue());
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
