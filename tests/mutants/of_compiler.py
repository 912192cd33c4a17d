"""Each check of the compiler's plugin (compiler/pass), taken out once: where, how, and which shape of the gallery must notice.

A check that forbids a transformation is noticed by a shape that it refuses; one that is made when the program runs, by a program of
tests/compiler/run, or by the number of checks in a remark.
"""

from mutants import Mutant

MUTANTS = [
    # Legality.cpp
    Mutant(
        "a function that calls setjmp is changed",
        "Legality.cpp",
        "if (known.function.callsFunctionThatReturnsTwice())",
        "if (false)",
        gallery=("ir-setjmp.c",),
    ),
    Mutant(
        "a part of an array: of a collective, too, its count is the whole",
        "Legality.cpp",
        "plan.mpi->collective || plan.start",
        "plan.start",
        gallery=("ir-alltoall_of_known_blocks.c",),
    ),
    Mutant(
        "a part of an array: a type of unknown size has none",
        "Legality.cpp",
        "if (!size || plan.mpi->fortran) return false;",
        "if (plan.mpi->fortran) return false;",
        gallery=("ir-type_of_unknown_size.c",),
    ),
    Mutant(
        "a part of an array: each access is outside the message",
        "Legality.cpp",
        "return evolution.isKnownNonNegative(distance);",
        "return true;",
        gallery=("ir-received_vector.cpp",),
    ),
    Mutant(
        "a part of an array: an access that begins below the message is outside it",
        "Legality.cpp",
        "is_beyond(buffer, evolution.getAddExpr(high, access.bytes))",
        "is_beyond(buffer, low)",
        gallery=("ir-received_vector.cpp",),
    ),
    Mutant(
        "a part of an array: the message ends where it begins",
        "Legality.cpp",
        "is_beyond(low, evolution.getAddExpr(buffer, bytes))",
        "is_beyond(low, buffer)",
        gallery=("ir-received_vector.cpp",),
    ),
    Mutant(
        "a loop of an unknown number of turns is cut by it",
        "Legality.cpp",
        "!isa<SCEVCouldNotCompute>(turns) && loop.getExitBlock() &&",
        "loop.getExitBlock() &&",
        gallery=("ir-until_a_condition.c",),
    ),
    Mutant(
        "a message of less than a strip is begun",
        "Legality.cpp",
        "if (longest >= (options",
        "if (longest || (options",
        gallery=("ir-short_message.c",),
    ),
    Mutant(
        "a pointer that is read again in the loop is taken for the message",
        "Legality.cpp",
        "if (!add_comparison(access.pointer, plan))",
        "if (add_comparison(access.pointer, plan); false)",
        gallery=("ir-received_through_a_member.c",),
    ),
    Mutant(
        "each iteration writes the same part again: it is taken for an address that does not change",
        "Legality.cpp",
        "if (lowest && evolution.isLoopInvariant(lowest, plan.loop)) {",
        "if (false) {",
        gallery=("ir-accumulated.c",),
    ),
    Mutant(
        "the address of an access is no recurrence",
        "Legality.cpp",
        "if (!recurrence || recurrence->getLoop() != plan.loop || !recurrence->isAffine())\n            return no",
        "if (recurrence && (recurrence->getLoop() != plan.loop || !recurrence->isAffine()))\n            return no",
        gallery=("ir-compacted.c",),
    ),
    Mutant(
        "the address of an access is not linear",
        "Legality.cpp",
        "if (!recurrence || recurrence->getLoop() != plan.loop || !recurrence->isAffine())\n            return no",
        "if (!recurrence || recurrence->getLoop() != plan.loop)\n            return no",
        gallery=("ir-quadratic.c",),
    ),
    Mutant(
        "upwards and downwards in one loop",
        "Legality.cpp",
        "if (plan.direction && plan.direction != direction)",
        "if (false)",
        gallery=("ir-upwards_and_downwards.c",),
    ),
    Mutant(
        "the far edge of an access is no recurrence",
        "Legality.cpp",
        "if (!recurrence || recurrence->getLoop() != plan.loop || !recurrence->isAffine())\n                return no",
        "if (recurrence && (recurrence->getLoop() != plan.loop || !recurrence->isAffine()))\n                return no",
        gallery=("ir-tiled.c",),
    ),
    Mutant(
        "the far edge of an access counts another loop",
        "Legality.cpp",
        "if (!recurrence || recurrence->getLoop() != plan.loop || !recurrence->isAffine())\n                return no",
        "if (!recurrence || !recurrence->isAffine())\n                return no",
        gallery=("ir-window_that_shrinks.c",),
    ),
    Mutant(
        "the far edge of an access is not linear",
        "Legality.cpp",
        "if (!recurrence || recurrence->getLoop() != plan.loop || !recurrence->isAffine())\n                return no",
        "if (!recurrence || recurrence->getLoop() != plan.loop)\n                return no",
        gallery=("ir-quadratic.c",),
    ),
    Mutant(
        "the far edge of an access goes the other way",
        "Legality.cpp",
        "if (frontier.direction(recurrence->getStepRecurrence(evolution)) != direction)\n                return no(not_linear, in_order);",
        "",
        gallery=("ir-window_that_shrinks.c",),
    ),
    Mutant(
        "what is received is compared by a pointer that is read in the loop",
        "Legality.cpp",
        "if (!plan.is_send() && !known.dominators.dominates(cast<LoadInst>(object), before)) return false;",
        "",
        gallery=("ir-received_through_a_member.c",),
    ),
    Mutant(
        "two pointers that are taken for one are not compared",
        "Legality.cpp",
        "if (!is_contained(plan.must_be_same, std::pair(object, message))) plan.must_be_same.push_back({object, message});",
        "",
        gallery=("ir-received_through_a_member.c",),
    ),
    Mutant(
        "what may overlap the message is not compared",
        "Legality.cpp",
        "            plan.must_be_disjoint.push_back(*range);",
        "            ;",
        gallery=("ir-second_array.c",),
    ),
    # Effects.cpp
    Mutant(
        "atomic operations order nothing",
        "Effects.cpp",
        "if (instruction.isAtomic())",
        "if (false)",
        gallery=("ir-atomic.c",),
    ),
    Mutant(
        "volatile accesses are seen by nobody",
        "Effects.cpp",
        "if (instruction.isVolatile())",
        "if (false)",
        gallery=("ir-volatile.c",),
    ),
    # Frontier.cpp
    Mutant(
        "a step of unknown sign is not compared",
        "Frontier.cpp",
        "if (!is_contained(plan.must_be_positive, step)) plan.must_be_positive.push_back(step);",
        "",
        gallery=("ir-grid_by_rows.c",),
    ),
    # Region.cpp
    Mutant(
        "a way forward crosses the loop around",
        "Region.cpp",
        "if (barriers.contains(block) || !seen.insert(block).second || block == stop) continue;",
        "if (!seen.insert(block).second || block == stop) continue;",
        gallery=("ir-received_in_a_branch.c",),
    ),
    Mutant(
        "a way forward goes on behind the call",
        "Region.cpp",
        "if (barriers.contains(block) || !seen.insert(block).second || block == stop) continue;",
        "if (barriers.contains(block) || !seen.insert(block).second) continue;",
        gallery=("ir-alltoall_in_steps.c",),
    ),
    Mutant(
        "a way back crosses the loop around",
        "Region.cpp",
        "if (!seen.insert(block).second || barriers.contains(block)) continue;",
        "if (!seen.insert(block).second) continue;",
        gallery=("ir-alltoall_in_steps.c",),
    ),
    # Collectives.cpp
    Mutant(
        "the other side of a collective is used meanwhile",
        "Collectives.cpp",
        "    if (touch == Touch::yes)\n        return plan.is_send() ?",
        "    if (touch == Touch::yes) return true;\n    if (touch == Touch::yes)\n        return plan.is_send() ?",
        gallery=("ir-alltoall_contribution_again.c",),
    ),
    # Transform.cpp
    Mutant(
        "a send begins in each sweep",
        "Transform.cpp",
        "for (Loop *sweep : plan.sweeps) job.begins = both(job.begins, is_last_turn(*sweep, at), builder);",
        "",
        gallery=("ir-accumulated.c",),
    ),
    Mutant(
        "a send begins whatever its conditions",
        "Transform.cpp",
        "job.begins = both(job.begins, condition.taken ? value : builder.CreateNot(value), builder);",
        "(void)value;",
        gallery=("ir-sent_on_a_condition.c",),
    ),
    # Rotation.cpp
    Mutant(
        "a rotated loop: what the first turn computed at the top is used in all turns",
        "Rotation.cpp",
        "updater.AddAvailableValue(block, &value);",
        "updater.AddAvailableValue(block, first[&value]);",
        gallery=("run-turns.c",),
    ),
    Mutant(
        "a rotated loop: a copy stays whole where it is not in each turn",
        "Transform.cpp",
        "(is_rotated(*where) &&",
        "(false &&",
        gallery=("ir-turn_before.f90",),
    ),
    # Directives.cpp
    Mutant(
        "a directive that names a communicator is of the innermost region's",
        "Directives.cpp",
        "isa<ConstantPointerNull>(call.getArgOperand(range::comm)) &&\n           isa<ConstantInt>",
        "isa<ConstantInt>",
        pytest=("tests/mdmp", "every_way_gives_the_same"),
        compiler="compiler/pass",
    ),
    # compiler/directives
    Mutant(
        "an exchange has one directive, for who takes it apart",
        "Places.cpp",
        "set(call->getArg(1), sections);",
        "static_cast<void>(call);",
        pytest=("tests/mdmp", "every_way_gives_the_same"),
        compiler="compiler/directives",
    ),
    Mutant(
        "what has gaps behind a range is a range",
        "Calls.cpp",
        " && directive_.section.pieces.back().empty());",
        ");",
        pytest=("tests/mdmp", "every_shape_arrives"),
        compiler="compiler/directives",
    ),
    Mutant(
        "a collective joins the exchange in front of it",
        "Places.cpp",
        "directive && directive->joins_exchange();",
        "directive && directive->has_section();",
        pytest=("tests/mdmp", "every_shape_arrives"),
        compiler="compiler/directives",
    ),
]
