"""Each safety property of the protocol (docs/protocol), taken out once: where, how, and which test must notice.

A test is words for pytest's -k and --mpi, or `promises`: names of tests/mpi with their ranks, transport and environment.
"""

import dataclasses

FORCE = {"STRETTO_FORCE": "1", "STRETTO_NONCE": "73747265747461206675676120342027"}


@dataclasses.dataclass
class Mutant:
    what: str
    file: str  # in runtime/
    old: str
    new: str
    promises: tuple = ()  # any of them notices
    ranks: int = 2
    transport: str = "shm"
    env: dict = dataclasses.field(default_factory=lambda: FORCE)
    level: str = ""  # of threads
    mpi: str = "openmpi"
    pytest: tuple = ()  # folder and words of -k, in place of promises


MUTANTS = [
    Mutant(
        "rule 1: a synchronous send is framed as any other",
        "front/send.cpp",
        "(mode == Mode::standard || mode == Mode::ready) &&",
        "mode != Mode::buffered &&",
        ("a_synchronous_send_completes_only_when_matched", "a_probe_does_not_complete_a_synchronous_send"),
    ),
    Mutant(
        "rule 2: a message that looks like a first fragment is not escaped",
        "front/send.cpp",
        "if (!message::looks_framed(data)) return nullptr;",
        "if (!message::looks_framed(data) || data.bytes() > 0) return nullptr;",
        ("a_message_that_looks_like_a_header_arrives_as_it_is",),
    ),
    Mutant(
        "rule 2: the first fragment of a short message is as long as any",
        "message/send.cpp",
        "leave_first(first_most_here && size >= least_total ? first_most_here : 0);",
        "leave_first(first_most_here);",
        ("a_delta_send_may_end_shorter_than_it_began", "bytes_beyond_a_short_variable_message_stay"),
    ),
    Mutant(
        "rule 3: the nonce is not looked at",
        "message/receive.cpp",
        "if (header.nonce != mpi::job.nonce || header.version",
        "if (header.version",
        ("a_header_of_another_job_arrives_as_it_is",),
    ),
    Mutant(
        "rule 4: what the library would have buffered waits for its match",
        "message/send.cpp",
        "acknowledged = size <= peer.eager && kind != Kind::escaped_synchronous;",
        "acknowledged = false;",
        ("head_to_head_sends_below_the_eager_limit_do_not_block", "many_small_unmatched_sends_do_not_block"),
        transport="tcp",
        env=FORCE | {"STRETTO_TESTS_BUFFERED": "8000"},
    ),
    Mutant(
        "rule 5: a header and fragments end within elements",
        "message/send.cpp",
        "if (!data.map().element_border(header_bytes)) return std::nullopt;\n    return data.bytes() >= least_total && data.map().element_border(first_fragment) ? first_most : 0;",
        "return data.bytes() >= least_total ? first_most : 0;",
        ("elements_that_fit_no_header_arrive_whole",),
        mpi="mpich4",
    ),
    Mutant(
        "rule 5: a first fragment ends within an element",
        "message/send.cpp",
        "return data.bytes() >= least_total && data.map().element_border(first_fragment) ? first_most : 0;",
        "return data.bytes() >= least_total ? first_most : 0;",
        ("elements_that_fit_a_header_and_no_first_fragment_arrive_whole",),
        mpi="mpich4",
    ),
    Mutant(
        "rule 6: tags are used again before they are given back",
        "message/tags.cpp",
        "if (!in_the_way) {",
        "if (!in_the_way || wanted.begin > 0) {",
        ("an_old_unmatched_message_meets_none_of_the_later_ones",),
    ),
    Mutant(
        "rule 6: surplus receives stay posted when a message ends early",
        "message/receive.cpp",
        "for (std::size_t k = true_cells; k < posted; k++) transport::withdraw(requests[k]);",
        "",
        ("a_delta_send_may_end_shorter_than_it_began",),
    ),
    Mutant(
        "rule 7: the eager limit is believed, not verified",
        "mpi/job.cpp",
        "peer.eager = link.eager;",
        "peer.eager = 1 << 20;",
        ("messages_under_way_cross_a_fence", "messages_under_way_cross_comm_dup"),
        transport="tcp",
        env={"STRETTO_DELTA": "262144", "STRETTO_FAST_LINK": "1e300", "STRETTO_THRESHOLD": "0"},
    ),
    Mutant(
        "rule 8: deltas are not handed over before a call that may block",
        "front/environment.cpp",
        "        progress::hand_over();\n        progress::poll();",
        "        progress::poll();",
        (
            "messages_under_way_cross_a_fence",
            "messages_under_way_cross_comm_dup",
            "messages_under_way_cross_file_operations",
        ),
    ),
    Mutant(
        "rule 9: a probe takes out its hit and nothing before it",
        "message/probed.cpp",
        "mpi::library.Improbe(hit.MPI_SOURCE, MPI_ANY_TAG, comm.handle",
        "mpi::library.Improbe(hit.MPI_SOURCE, hit.MPI_TAG, comm.handle",
        ("a_probe_past_another_message_lets_no_receive_overtake",),
    ),
    Mutant(
        "rule 9: receives do not look in the probed list",
        "front/receive.cpp",
        "    if (message::probed::any())\n",
        "    if (false)\n",
        ("a_probed_message_is_taken_by_every_kind_of_receive",),
    ),
    Mutant(
        "rule 9: a matched probe does not look for a header",
        "front/probe.cpp",
        "if (is_message && !message.received &&",
        "if (!is_message && !message.received &&",
        ("mrecv_gets_the_message_that_mprobe_took", "imrecv_gets_the_message_that_improbe_took"),
    ),
    Mutant(
        "rule 9: no lock at MPI_THREAD_MULTIPLE",
        "front/environment.cpp",
        "progress::Guard::needed = level == MPI_THREAD_MULTIPLE;",
        "progress::Guard::needed = level > MPI_THREAD_MULTIPLE;",
        (
            "threads_exchange_each_with_its_own_tag",
            "threads_share_a_stream_by_matched_probes",
            "threads_with_delta_messages_of_their_own",
        ),
        level="multiple",
    ),
    Mutant(
        "rule 10: no end marker for a message that ends early",
        "message/send.cpp",
        "else if (size < total) {",
        "else if (size > total) {",
        ("a_delta_send_may_end_shorter_than_it_began",),
    ),
    Mutant(
        "rule 10: bytes leave that were not declared final",
        "message/send.cpp",
        "if (!left[k] && run.begin <= c.begin && c.end <= run.end && !leave(k, false)) return;",
        "if (!left[k] && !leave(k, false)) return;",
        ("a_plain_receive_takes_a_delta_send_of_any_size_in_any_order", "one_range_serves_several_delta_sends"),
    ),
    Mutant(
        "rule 10: a send between begin and end of a delta send is not misuse",
        "front/send.cpp",
        "    if (stretto_sends_open) check_place(dest, tag, comm);\n",
        "",
        pytest=("tests/misuse", "send_between_begin_and_end"),
    ),
    Mutant(
        "a range that is declared twice is taken",
        "message/send.cpp",
        "if (const auto twice = declared.insert(range))",
        "if (const auto twice = declared.insert(range); twice && false)",
        pytest=("tests/misuse", "declared_twice"),
    ),
    Mutant(
        "rule 14: truncation of a framed message is not told",
        "message/receive.cpp",
        "        truncated = true;\n        failure = MPI_ERR_TRUNCATE;\n        count(Rule::truncated);\n    }\n    data.unpack(0, std::min(first_data",
        "        truncated = true;\n        count(Rule::truncated);\n    }\n    data.unpack(0, std::min(first_data",
        ("a_truncated_receive_returns_its_error",),
    ),
    Mutant(
        "rule 16: Sendrecv_replace sends out of the buffer that it receives into",
        "front/sendrecv.cpp",
        "both = begin(copy.get(), size, MPI_PACKED, dest, sendtag, buf, count, type, source, recvtag, comm);\n    }\n    return wait",
        "both = begin(buf, count, type, dest, sendtag, buf, count, type, source, recvtag, comm);\n    }\n    return wait",
        ("sendrecv_replace_swaps_in_place",),
    ),
    Mutant(
        "rule 17: a communicator is known by its handle",
        "front/communicator.cpp",
        "    mpi::forget(*comm);\n",
        "",
        (
            "ranks_of_a_split_communicator_are_translated",
            "a_reused_handle_inherits_nothing",
            "many_communicators_come_and_go",
        ),
        ranks=3,
    ),
    Mutant(
        "rule 15: the cancel of a receive goes no further than us",
        "front/operation.cpp",
        "else if (receive && receive->where() == message::Receive::State::posted && !send)",
        "else if (receive && receive->is_complete())",
        ("a_receive_is_cancelled_before_its_match", "a_message_meets_the_receive_after_a_cancelled_one"),
    ),
    Mutant(
        "rule 18: MPI_Finalize leaves what is under way",
        "front/environment.cpp",
        "if (active) end_messages();",
        "if (active && settings.off) end_messages();",
        pytest=("tests/endings", "then_finalize and force"),
    ),
    Mutant(
        "rule 18: MPI_Finalize leaves what the library still sends",
        "front/environment.cpp",
        "return !progress::anything_leaving();",
        "return true;",
        pytest=("tests/endings", "sender_computes and usual"),
        mpi="mpich4",
    ),
    Mutant(
        "a send is complete before its deltas have left",
        "message/send.h",
        "left_bytes == end_bytes && (copies || pending.empty())",
        "(left_bytes == end_bytes || left_bytes > 0)",
        (
            "a_send_that_returned_has_given_its_buffer_back",
            "every_size_arrives",
            "a_delta_send_without_annotations_is_a_send",
        ),
    ),
    Mutant(
        "MPIX_Delta_wait_data returns before the bytes are there",
        "message/receive.cpp",
        "        if (!look(k)) return false;\n    // While",
        "        look(k);\n    // While",
        ("a_delta_receive_takes_every_kind_of_send", "a_pipeline_of_delta_messages_passes_through_all_ranks"),
    ),
]
