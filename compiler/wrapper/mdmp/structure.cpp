#include "structure.h"
#include "statement.h"

#include <algorithm>
#include <utility>

namespace stretto::wrapper::mdmp {

namespace {

struct Region {
    Place where;
    std::size_t depth; // of constructs around it
};

struct Construct {
    std::string word, do_label;
    Place where;
};

// A program, a module, a procedure; an interface or a type is one, too, which holds no directive.
struct Unit {
    std::string word, name;
    bool pure = false;
    bool uses = false;     // the module stretto_mdmp
    bool contains = false; // its procedures come
    std::vector<Construct> constructs;
    bool sound = true; // constructs were understood
    std::vector<Region> regions;
    std::vector<Problem> if_sound;

    std::string called() const { return name.empty() ? word : word + " " + name; }
};

// An #if, and what was when it came.
struct Branch {
    std::vector<Unit> units;
    bool pending, pending_in_one, has_else;
};

class Reader {
public:
    Reader(const Source &source, std::vector<Problem> &problems) : source_(source), problems_(problems) {}

    Program read(const std::vector<Element> &elements) {
        for (const Element &element : elements) read_element(element);
        end_exchange();
        while (!units_.empty()) end_unit();
        return std::move(program_);
    }

private:
    void problem(Place where, std::string what) { problems_.push_back({where, std::move(what)}); }
    std::string line(Place where) const { return "line " + std::to_string(source_.lines[where.row].number); }

    void read_element(const Element &element) {
        if (element.kind == Element::directive) return read_mdmp(element);
        if (element.kind == Element::preprocessor) return read_preprocessor(element);
        end_exchange();
        behind_preprocessor_ = false;
        if (element.kind == Element::other) {
            last_ = {};
            return;
        }
        for (const Statement &statement : statements_of(element.text)) {
            read_statement(statement);
            last_ = {};
        }
    }

    // --- directives

    void read_mdmp(const Element &element) {
        std::optional<Directive> directive = mdmp::read_directive(element.text, problems_);
        if (!directive) {
            some_refused_ = true;
            return;
        }
        const Place where = directive->text.places[directive->name.begin];
        if (!may_stand(*directive, where)) {
            some_refused_ = true;
            return;
        }
        if (directive->joins_exchange() && behind_preprocessor_)
            problem(where, "a line of the preprocessor stands between this directive and the one before, which are one "
                           "exchange: write both into one branch, or a statement between them");
        if (!directive->joins_exchange()) {
            end_exchange();
            behind_preprocessor_ = false;
        }
        if (directive->kind == Directive::region) begin_region(where);
        if (directive->kind == Directive::region_end) end_region(where);
        if (directive->joins_exchange()) open_exchange_ = program_.directives.size();
        last_ = where;
        program_.directives.push_back({std::move(*directive), element.first, element.last, units_.back().name, false});
    }

    bool may_stand(const Directive &directive, Place where) {
        const std::string name =
            directive.text.chars.substr(directive.name.begin, directive.name.end - directive.name.begin);
        const std::string inside = "a directive stands among the statements of a program or a procedure";
        if (units_.empty() || units_.back().contains || units_.back().word == "module" ||
            units_.back().word == "submodule" || units_.back().word == "blockdata") {
            problem(where, name + ": " + inside + ", and here is none");
            return false;
        }
        const Unit &unit = units_.back();
        if (unit.word == "interface" || unit.word == "type" || in_interface()) {
            problem(where, name + ": " + inside + ", and here is " +
                               (unit.word == "type" ? "the definition of a type" : "an interface"));
            return false;
        }
        if (!std::any_of(units_.begin(), units_.end(), [](const Unit &each) { return each.uses; })) {
            problem(where, name + ": this needs `use stretto_mdmp` in " + unit.called() +
                               ", so that no compiler ignores it: write that first");
            return false;
        }
        if (unit.pure) {
            problem(where, name + ": " + unit.called() +
                               " is pure, and communicates nothing: leave `pure` or `elemental` out");
            return false;
        }
        return may_stand_in_construct(name, where);
    }

    bool may_stand_in_construct(const std::string &name, Place where) {
        for (const Construct &construct : units_.back().constructs)
            if (construct.word == "where" || construct.word == "forall" || construct.word == "concurrent") {
                problem(where, name + ": no directive may stand in " +
                                   (construct.word == "concurrent" ? "do concurrent" : construct.word) + " (" +
                                   line(construct.where) + "): write it before or behind that");
                return false;
            }
        return true;
    }

    bool in_interface() const {
        return std::any_of(units_.begin(), units_.end(), [](const Unit &each) { return each.word == "interface"; });
    }

    void begin_region(Place where) { units_.back().regions.push_back({where, units_.back().constructs.size()}); }

    void end_region(Place where) {
        Unit &unit = units_.back();
        if (unit.regions.empty()) {
            if (!some_refused_)
                problem(where, "commregionfinished: no commregion is open in " + unit.called() +
                                   ": write commregion before it, or leave it out");
            return;
        }
        const Region region = unit.regions.back();
        unit.regions.pop_back();
        if (region.depth == unit.constructs.size()) return;
        const bool deeper = unit.constructs.size() > region.depth;
        const std::string word = deeper ? unit.constructs.back().word : "one that ended";
        unit.if_sound.push_back({where, "commregionfinished stands in another construct (" + word +
                                            ") than its commregion (" + line(region.where) +
                                            "): write both into the same"});
    }

    void end_exchange() {
        if (open_exchange_) program_.directives[*open_exchange_].ends_exchange = true;
        open_exchange_.reset();
    }

    // --- the preprocessor: of the branches of an #if each begins with what was before

    void read_preprocessor(const Element &element) {
        const bool pending = open_exchange_ || behind_preprocessor_; // no statement came since an exchange
        end_exchange();
        behind_preprocessor_ = pending;
        const std::string word = word_of(element.text.chars);
        if (word.starts_with("if")) branches_.push_back({units_, pending, false, false});
        if (branches_.empty()) return;
        Branch &branch = branches_.back();
        if (word.starts_with("el")) {
            branch.pending_in_one |= pending;
            branch.has_else |= word == "else";
            units_ = branch.units;
            behind_preprocessor_ = branch.pending;
        } else if (word == "endif") {
            behind_preprocessor_ = pending || branch.pending_in_one || (branch.pending && !branch.has_else);
            branches_.pop_back();
        }
    }

    // "#  ifdef X" -> "ifdef"
    static std::string word_of(const std::string &line) {
        const std::size_t begin = line.find_first_not_of(" \t", 1);
        if (begin == std::string::npos) return {};
        std::size_t end = begin;
        while (end < line.size() && is_letter(line[end])) end++;
        return line.substr(begin, end - begin);
    }

    // --- statements

    void read_statement(const Statement &statement) {
        if (is_in_type() && statement.kind != Statement::unit_end) return;
        switch (statement.kind) {
        case Statement::unit:
            begin_unit(statement.word, statement);
            break;
        case Statement::interface:
            begin_unit("interface", statement);
            break;
        case Statement::type:
            begin_unit("type", statement);
            break;
        case Statement::unit_end:
            read_unit_end(statement);
            break;
        case Statement::contains:
            if (!units_.empty()) {
                look_for_open_regions();
                units_.back().contains = true;
            }
            break;
        case Statement::use:
            main_program(statement);
            if (statement.name == "stretto_mdmp") {
                units_.back().uses = true;
                program_.uses.push_back(statement.module);
            }
            break;
        case Statement::declaration:
            main_program(statement);
            look_for_early_directive(statement);
            break;
        case Statement::construct:
            main_program(statement);
            units_.back().constructs.push_back({statement.name, statement.do_label, statement.where});
            break;
        case Statement::construct_end:
            main_program(statement);
            end_construct(statement);
            break;
        case Statement::action:
            main_program(statement);
            look_at_leave(statement);
            end_labelled_loops(statement);
            break;
        }
        if (statement.kind == Statement::construct_end) end_labelled_loops(statement);
    }

    bool is_in_type() const { return !units_.empty() && units_.back().word == "type"; }

    void begin_unit(const std::string &word, const Statement &statement) {
        // `module procedure p` names a procedure where it stands in an interface.
        if (word == "procedure" && !units_.empty() && units_.back().word == "interface") return;
        Unit unit;
        unit.word = word;
        unit.name = statement.name;
        unit.pure = statement.pure;
        units_.push_back(unit);
    }

    // A main program needs no `program`.
    void main_program(const Statement &statement) {
        if (!units_.empty()) return;
        begin_unit("program", statement);
        units_.back().name.clear();
    }

    void read_unit_end(const Statement &statement) {
        if (units_.empty()) return;
        const bool of_type = units_.back().word == "type", ends_type = statement.name == "type";
        if (of_type != ends_type) return;
        end_labelled_loops(statement);
        end_unit();
    }

    void end_unit() {
        look_for_open_regions();
        Unit &unit = units_.back();
        if (unit.sound && unit.constructs.empty())
            problems_.insert(problems_.end(), unit.if_sound.begin(), unit.if_sound.end());
        units_.pop_back();
    }

    void look_for_open_regions() {
        for (const Region &region : std::exchange(units_.back().regions, {}))
            problem(region.where, "this commregion has no end in " + units_.back().called() +
                                      ": write commregionfinished behind the last statement of the region");
    }

    void look_for_early_directive(const Statement &statement) {
        if (!last_ || !units_.back().constructs.empty()) return;
        problem(*last_, "a directive stands behind the declarations, and one follows at " + line(statement.where) +
                            ": write the directive behind it");
    }

    void end_construct(const Statement &statement) {
        auto &constructs = units_.back().constructs;
        const auto same = [&](const Construct &construct) {
            return construct.word == statement.name || (statement.name == "do" && construct.word == "concurrent");
        };
        if (statement.name == "enum" && (constructs.empty() || constructs.back().word != "enum")) return;
        if (constructs.empty() || !same(constructs.back()))
            units_.back().sound = false;
        else
            constructs.pop_back();
    }

    void end_labelled_loops(const Statement &statement) {
        if (statement.label.empty() || units_.empty()) return;
        auto &constructs = units_.back().constructs;
        while (!constructs.empty() && constructs.back().do_label == statement.label) constructs.pop_back();
    }

    void look_at_leave(const Statement &statement) {
        Unit &unit = units_.back();
        if (statement.leaves.empty() || unit.regions.empty()) return;
        const Region &region = unit.regions.back();
        const std::string what_to_do = " leaves the region of " + line(region.where) +
                                       " without its end: write commregionfinished before it, or go on behind it";
        if (statement.leaves == "return") return problem(statement.where, "return" + what_to_do);
        if (!statement.name.empty()) return; // of a construct by its name
        const auto begin =
            unit.constructs.begin() + static_cast<std::ptrdiff_t>(std::min(region.depth, unit.constructs.size()));
        const bool inside = std::any_of(begin, unit.constructs.end(), [](const Construct &each) {
            return each.word == "do" || each.word == "concurrent";
        });
        if (!inside) unit.if_sound.push_back({statement.where, statement.leaves + what_to_do});
    }

    const Source &source_;
    std::vector<Problem> &problems_;
    Program program_;
    std::vector<Unit> units_;
    std::vector<Branch> branches_;
    std::optional<std::size_t> open_exchange_; // its last directive
    std::optional<Place> last_;                // the directive just before
    bool behind_preprocessor_ = false;
    bool some_refused_ = false;
};

} // namespace

Program read_program(const Source &source, const std::vector<Element> &elements, std::vector<Problem> &problems) {
    return Reader(source, problems).read(elements);
}

} // namespace stretto::wrapper::mdmp
