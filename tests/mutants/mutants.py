"""Each safety property of the protocol (docs/protocol) and of the pages, taken out once: where, how, and which test must notice.

A test is words for pytest's -k and --mpi, `promises`: names of tests/mpi with their ranks, transport and environment, or `hazards`: a
program of tests/hazard with a filter.
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
    hazards: str = ""  # a program of tests/hazard and a filter of its tests, in place of both

    @property
    def target(self):
        """What is built anew to try it."""
        return self.hazards.split()[0] if self.hazards else f"stretto_{self.mpi}"


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
        "progress::Guard::multiple = level == MPI_THREAD_MULTIPLE;",
        "progress::Guard::multiple = level > MPI_THREAD_MULTIPLE;",
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
        "    if (delta_sends_open) check_place(dest, tag, comm);\n",
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
        "        if (!look(k)) return false;\n    }\n    // While",
        "        look(k);\n    }\n    // While",
        ("a_delta_receive_takes_every_kind_of_send", "a_pipeline_of_delta_messages_passes_through_all_ranks"),
    ),
    Mutant(
        "pages: re-arming does nothing",
        "pages/tracker.cpp",
        "    if (close_to_writes(how_, pages_of(units))) return;",
        "    return;",
        hazards="tracker_hazards *write_after_leaving*",
    ),
    Mutant(
        "pages: the unit being written counts as passed",
        "pages/sweep.cpp",
        "std::ptrdiff_t left = whole ? front.at : -1;",
        "std::ptrdiff_t left = to;",
        hazards="tracker_hazards *a_sweep_has_passed*",
    ),
    Mutant(
        "pages: the head is not compared",
        "pages/tracker.cpp",
        "const std::optional<Misuse> found = misuse_ ? misuse_ : changed_copy();",
        "const std::optional<Misuse> found = misuse_;",
        hazards="tracker_hazards *head*",
    ),
    Mutant(
        "pages: the sweep of another thread counts",
        "pages/sweep.cpp",
        "if (front.thread != thread) return false;",
        "",
        hazards="tracker_hazards *threads_that_write_one_page*:*each_threads*",
    ),
    Mutant(
        "pages: edge pages are tracked",
        "pages/memory.cpp",
        "const Range inside{(addresses.begin + page - 1) / page * page, addresses.end / page * page};",
        "const Range inside{addresses.begin / page * page, (addresses.end + page - 1) / page * page};",
        hazards="tracker_hazards *other_data*",
    ),
    Mutant(
        "pages: signals are not held back (tracker)",
        "pages/quiet.h",
        "pthread_sigmask(SIG_SETMASK, &all, &before_);",
        "pthread_sigmask(SIG_SETMASK, nullptr, &before_);",
        hazards="tracker_hazards *handler_of_a_signal*",
    ),
    Mutant(
        "pages: what is settled counts as swept",
        "pages/tracker.cpp",
        "            state = state == State::left || state == State::misused ? State::misused : State::open;",
        "            if (state == State::armed) tracker->sweep_.begins(unit, 1);\n            state = state == State::left || state == State::misused ? State::misused : State::open;",
        hazards="tracker_hazards *settled*",
    ),
    Mutant(
        "pages: stacks are tracked",
        "pages/tracker.cpp",
        "if (!memory.ordinary || memory.stack || overlaps",
        "if (!memory.ordinary || overlaps",
        hazards="tracker_hazards *a_stack*",
    ),
    Mutant(
        "pages: shared memory is tracked",
        "pages/memory.cpp",
        "(q.vma_flags & (access | never)) == access",
        "(q.vma_flags & access) == access",
        hazards="tracker_hazards *shared*",
    ),
    Mutant(
        "pages: a fault on an open unit is ours",
        "pages/tracker.cpp",
        "            return false; // opened by another",
        "            return true; // opened by another",
        hazards="tracker_hazards *unmapped*",
    ),
    Mutant(
        "pages: a child keeps read-only units",
        "pages/tracker.cpp",
        "if (tracker->how_ == Tracking::mprotect) protect(tracker->pages_, PROT_READ | PROT_WRITE);",
        "",
        hazards="tracker_hazards *a_child*",
    ),
    Mutant(
        "pages: the old handler is forgotten",
        "pages/fault.cpp",
        "        set_programs_action(signal, before);",
        "        set_programs_action(signal, handler);",
        hazards="tracker_hazards *from_before*",
    ),
    Mutant(
        "pages: the program's handler replaces ours",
        "pages/fault.cpp",
        "if (!installed || !is_ours(signal))",
        "if (installed || !is_ours(signal))",
        hazards="tracker_hazards *handler_of_the_program*",
    ),
    Mutant(
        "pages: the mask is not restored for the program",
        "pages/fault.cpp",
        "    pthread_sigmask(SIG_SETMASK, &mask, nullptr);\n",
        "",
        hazards="tracker_hazards *handler_of_the_program*",
    ),
    Mutant(
        "pages: without a map left misuse goes unseen",
        "pages/tracker.cpp",
        "if (states_[unit] == State::left) keep_copy(offsets_of({unit, unit + 1}));",
        "",
        hazards="tracker_hazards *map_left*",
    ),
    Mutant(
        "pages: an unexplained fault is not tried again",
        "pages/fault.cpp",
        "if (last_address == access.address && last_seen == seen) return false;",
        "return false;",
        hazards="guard_hazards *nobody_reads*:*threads*",
    ),
    Mutant(
        "pages: a page is opened, then filled",
        "pages/guard.cpp",
        "if (how_ == Guarding::mprotect && !write_behind(addresses, data)) return false;",
        "if (how_ == Guarding::mprotect) { protect(addresses_of_pages(pages_of(addresses)), PROT_READ | PROT_WRITE); if (!write_behind(addresses, data)) return false; }",
        hazards="guard_hazards *nobody_reads*",
    ),
    Mutant(
        "pages: fork does not settle",
        "pages/guard.cpp",
        "    retire(nullptr, SIZE_MAX);",
        "",
        hazards="guard_hazards *child_of_fork*",
    ),
    Mutant(
        "pages: a child writes through inherited doors",
        "pages/guard.cpp",
        "    best.guarding = Guarding::block;\n    if (memory_file >= 0) ::close(memory_file);\n    memory_file = -1;\n    userfault::close();",
        "",
        hazards="guard_hazards *does_not_write_to_its_parent*",
    ),
    Mutant(
        "pages: no alternate stack",
        "pages/fault.cpp",
        "SA_SIGINFO | SA_ONSTACK |",
        "SA_SIGINFO |",
        hazards="guard_hazards *overflow*",
    ),
    Mutant(
        "pages: ENOMEM while opening is ignored",
        "pages/guard.cpp",
        "        closed_to_the_end_ = true; // it",
        "        // it",
        hazards="guard_hazards *map_left*",
    ),
    Mutant(
        "pages: locked memory is not noticed",
        "pages/userfault.cpp",
        "    if (madvise(pointer(pages.begin), pages.bytes(), MADV_DONTNEED) == 0) return true;",
        "    madvise(pointer(pages.begin), pages.bytes(), MADV_DONTNEED);\n    return true;",
        hazards="guard_hazards *locked*",
    ),
    Mutant(
        "pages: a part of a page opens it",
        "pages/guard.cpp",
        "const bool complete = got_[page] == bytes_of(page);",
        "const bool complete = got_[page] > 0;",
        hazards="guard_hazards *any_size*",
    ),
    Mutant(
        "pages: edges are guarded",
        "pages/memory.cpp",
        "const Range inside{(addresses.begin + page - 1) / page * page, addresses.end / page * page};",
        "const Range inside{addresses.begin / page * page, (addresses.end + page - 1) / page * page};",
        hazards="guard_hazards *other_data*",
    ),
    Mutant(
        "pages: signals are not held back (guard)",
        "pages/quiet.h",
        "pthread_sigmask(SIG_SETMASK, &all, &before_);",
        "pthread_sigmask(SIG_SETMASK, nullptr, &before_);",
        hazards="guard_hazards *handler_of_a_signal*",
    ),
    Mutant(
        "pages: signals wait for a message",
        "pages/guard.cpp",
        "    pthread_sigmask(SIG_SETMASK, &access.mask, nullptr); // it may take long\n",
        "",
        hazards="guard_hazards *signals_are_handled*",
    ),
    Mutant(
        "pages: a touch waits for nothing",
        "pages/guard.cpp",
        "w.came = !guard.guarded().covers(w.touched) ||",
        "w.came = true ||",
        hazards="guard_hazards *a_touch_waits*",
    ),
    Mutant(
        "pages: retire waits for pages only",
        "pages/guard.cpp",
        "if (Range{guard->coming_begin_, guard->coming_end_}.intersects(addresses)) return true;",
        "if (Range{guard->begin_, guard->end_}.intersects(addresses)) return true;",
        hazards="guard_hazards *memory_goes*",
    ),
    Mutant(
        "pages: settle does not wait",
        "pages/guard.cpp",
        "                    if (!guard->here_[page]) return false;",
        "                    continue;",
        hazards="guard_hazards *system_call*",
    ),
    Mutant(
        "pages: two guards of the same bytes",
        "pages/guard.cpp",
        "    if (guard->overlaps_another(pages)) return guard;\n",
        "",
        hazards="guard_hazards *corrupt_nothing*",
    ),
]
