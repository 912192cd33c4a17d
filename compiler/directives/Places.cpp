#include "Places.h"
#include "Errors.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace stretto::directives {

namespace {

using Regions = std::vector<const Directive *>;

/// The body of one function, lambda or block.
class Body {
public:
    Body(ASTContext &context, const Directives &all, bool is_main)
        : context_(context), all_(all), diagnostics_(context.getDiagnostics()), is_main_(is_main) {}

    void check(Stmt *body) {
        visit(body);
        for (const auto &[jump, from] : jumps_) check_jump(jump, from);
    }

private:
    Directive *directive_of(const Stmt *statement) const {
        const auto *block = llvm::dyn_cast_or_null<CompoundStmt>(statement);
        return block ? all_.at(block->getLBracLoc()) : nullptr;
    }

    unsigned line(SourceLocation where) const { return context_.getSourceManager().getPresumedLoc(where).getLine(); }
    std::string of_line(const Directive *directive) const {
        return "of line " + std::to_string(line(directive->where));
    }

    void wrong(SourceLocation where, const llvm::Twine &what) { complain(diagnostics_, where, what); }
    void wrong(Directive &directive, const llvm::Twine &what) {
        if (!directive.complained) wrong(directive.where, what);
        directive.complained = true;
    }

    // --- statements ----------------------------------------------------------------------------------------------------------

    void visit(Stmt *statement) {
        if (!statement) return;
        if (Directive *directive = directive_of(statement)) return refuse_as_body(*directive);
        if (auto *block = llvm::dyn_cast<CompoundStmt>(statement)) return visit_block(block);
        if (llvm::isa<LambdaExpr, BlockExpr>(statement)) return; // bodies of their own
        if (auto *openmp = llvm::dyn_cast<OMPExecutableDirective>(statement)) return visit_openmp(openmp);
        if (llvm::isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt>(statement))
            return visit_breakable(statement);
        note_jump(statement);
        visit_children(statement);
    }

    void visit_children(Stmt *statement) {
        for (Stmt *child : statement->children()) visit(child);
    }

    void refuse_as_body(Directive &directive) {
        directive.placed = true;
        wrong(directive, std::string(directive.name()) +
                             " stands alone as the body of a statement, which would end with it: put "
                             "the body in braces { }");
    }

    /// A directive behind a label or a case is one of the block's statements, too.
    static Stmt *behind_labels(Stmt *statement, std::vector<Stmt *> &labels) {
        for (;;) {
            Stmt *inner = nullptr;
            if (auto *label = llvm::dyn_cast<LabelStmt>(statement)) inner = label->getSubStmt();
            if (auto *label = llvm::dyn_cast<SwitchCase>(statement)) inner = label->getSubStmt();
            if (!inner) return statement;
            labels.push_back(statement);
            statement = inner;
        }
    }

    void visit_block(CompoundStmt *block) {
        const std::size_t outside = regions_.size();
        CompoundStmt *before = nullptr; // a send or a receive, with nothing behind it
        unsigned sections = 0;          // of its exchange, so far
        for (Stmt *statement : block->body()) {
            std::vector<Stmt *> labels;
            Stmt *inner = behind_labels(statement, labels);
            for (Stmt *label : labels) note_jump(label);
            Directive *directive = directive_of(inner);
            if (llvm::isa<NullStmt>(inner) && labels.empty()) continue; // of _Pragma in a macro: SEND(x);
            const bool joins_exchange = directive && directive->joins_exchange();
            auto *const here = joins_exchange ? llvm::cast<CompoundStmt>(inner) : nullptr;
            sections = here && before && labels.empty() ? joins(*before, *here, sections + 1) : 1;
            before = here;
            if (!directive)
                visit(inner);
            else
                place(*directive, outside);
        }
        for (; regions_.size() > outside; regions_.pop_back()) unfinished(regions_.back());
    }

    /// Behind a directive stands another one, which waits for all so far.
    unsigned joins(CompoundStmt &before, CompoundStmt &here, unsigned sections) const {
        if (auto *exchange = llvm::dyn_cast<IfStmt>(before.body_back())) set(exchange->getCond(), 0);
        auto *exchange = llvm::dyn_cast<IfStmt>(here.body_back());
        auto *call = exchange ? llvm::dyn_cast<CallExpr>(exchange->getThen()) : nullptr;
        if (call && call->getNumArgs() == 2) set(call->getArg(1), sections);
        return sections;
    }

    void set(Expr *literal, unsigned value) const {
        if (auto *number = llvm::dyn_cast<IntegerLiteral>(literal->IgnoreParenImpCasts()))
            number->setValue(context_, llvm::APInt(context_.getTypeSize(number->getType()), value));
    }

    void place(Directive &directive, std::size_t outside) {
        directive.placed = true;
        if (threads_ && !told_apart(directive)) by_every_thread(directive);
        switch (directive.kind) {
        case Kind::region:
            regions_.push_back(&directive);
            break;
        case Kind::region_end:
            if (regions_.size() > outside)
                regions_.pop_back();
            else
                without_region(directive);
            break;
        default:
            if (regions_.empty() && is_main_ && !all_.some_refused)
                wrong(directive, std::string(directive.name()) +
                                     " stands in no region: write #pragma commregion before it, and "
                                     "#pragma commregionfinished behind");
        }
    }

    /// What several threads do at once is matched by their tags, or in a communicator of each.
    static bool told_apart(const Directive &directive) {
        return directive.kind == Kind::region_end || !directive.comm.empty() || !directive.tag.empty();
    }

    void by_every_thread(Directive &directive) {
        const std::string what =
            directive.joins_exchange() ? "tag(...), a number of each thread" : "comm(...), one of each thread";
        wrong(directive, std::string(directive.name()) + ": every thread does it here: write " + what +
                             ", or put it in '#pragma omp single' or '#pragma omp masked'");
    }

    void without_region(Directive &directive) {
        if (all_.some_refused) return;
        if (regions_.empty())
            return wrong(directive,
                         "commregionfinished ends no region: write #pragma commregion before it, in the same block");
        wrong(directive, "commregionfinished stands in another block than the commregion " + of_line(regions_.back()) +
                             ": write both in the same block { }");
        unfinished_here_.insert(regions_.back());
    }

    void unfinished(const Directive *region) {
        if (all_.some_refused || unfinished_here_.count(region)) return;
        wrong(const_cast<Directive &>(*region),
              "commregion is not finished in its block: write #pragma commregionfinished before the block's '}'");
    }

    // --- threads -------------------------------------------------------------------------------------------------------------

    void visit_openmp(OMPExecutableDirective *openmp) {
        if (openmp->isStandaloneDirective() || !openmp->hasAssociatedStmt()) return;
        using namespace llvm::omp;
        const OpenMPDirectiveKind kind = openmp->getDirectiveKind();
        const bool one = kind == OMPD_single || kind == OMPD_master || kind == OMPD_masked;
        const bool several = isOpenMPParallelDirective(kind) || isOpenMPWorksharingDirective(kind) ||
                             isOpenMPTaskingDirective(kind) || isOpenMPTeamsDirective(kind) ||
                             isOpenMPTargetExecutionDirective(kind);
        const bool before = threads_;
        threads_ = !one && (before || several);
        visit(openmp->getRawStmt());
        threads_ = before;
    }

    // --- ways out of a region, and into one ------------------------------------------------------------------------------------

    void visit_breakable(Stmt *statement) {
        const bool is_switch = llvm::isa<SwitchStmt>(statement);
        const std::size_t breaks = breaks_, continues = continues_, cases = cases_;
        breaks_ = regions_.size();
        (is_switch ? cases_ : continues_) = regions_.size();
        visit_children(statement);
        breaks_ = breaks, continues_ = continues, cases_ = cases;
    }

    void leaves(SourceLocation where, const char *how) {
        if (all_.some_refused) return;
        wrong(where, std::string(how) + " leaves the commregion " + of_line(regions_.back()) +
                         " unfinished: write #pragma commregionfinished on every way, or leave the region at its end");
    }

    void note_jump(Stmt *statement) {
        const SourceLocation where = statement->getBeginLoc();
        if (llvm::isa<ReturnStmt, CoreturnStmt>(statement) && !regions_.empty()) leaves(where, "return");
        if (llvm::isa<BreakStmt>(statement) && regions_.size() > breaks_) leaves(where, "break");
        if (llvm::isa<ContinueStmt>(statement) && regions_.size() > continues_) leaves(where, "continue");
        if (llvm::isa<IndirectGotoStmt>(statement) && !regions_.empty()) leaves(where, "goto");
        if (llvm::isa<SwitchCase>(statement) && regions_.size() > cases_) enters(where, regions_.back());
        if (auto *label = llvm::dyn_cast<LabelStmt>(statement)) labels_[label->getDecl()] = regions_;
        if (auto *jump = llvm::dyn_cast<GotoStmt>(statement)) jumps_.emplace_back(jump, regions_);
    }

    void enters(SourceLocation where, const Directive *region) {
        if (all_.some_refused) return;
        wrong(where, "a jump to here enters the commregion " + of_line(region) +
                         " behind its begin: write #pragma commregion on every way, or the label before it");
    }

    void check_jump(const GotoStmt *jump, const Regions &from) {
        const auto label = labels_.find(jump->getLabel());
        if (label == labels_.end() || all_.some_refused) return;
        const Regions &to = label->second;
        for (std::size_t k = 0; k < std::max(from.size(), to.size()); k++) {
            if (k < from.size() && k < to.size() && from[k] == to[k]) continue;
            if (k < from.size())
                wrong(jump->getGotoLoc(), "goto leaves the commregion " + of_line(from[k]) +
                                              " unfinished: write #pragma commregionfinished before it");
            else
                wrong(jump->getGotoLoc(), "goto enters the commregion " + of_line(to[k]) +
                                              " behind its begin: write the label before #pragma commregion");
            return;
        }
    }

    ASTContext &context_;
    const Directives &all_;
    DiagnosticsEngine &diagnostics_;
    bool is_main_;
    Regions regions_; // that are open
    llvm::SmallPtrSet<const Directive *, 4> unfinished_here_;
    bool threads_ = false;
    std::size_t breaks_ = 0, continues_ = 0,
                cases_ = 0; // regions that were open where the innermost loop or switch began
    llvm::DenseMap<const LabelDecl *, Regions> labels_;
    std::vector<std::pair<const GotoStmt *, Regions>> jumps_;
};

class Bodies : public RecursiveASTVisitor<Bodies> {
public:
    Bodies(ASTContext &context, const Directives &all) : context_(context), all_(all) {}

    bool VisitFunctionDecl(FunctionDecl *function) {
        if (function->doesThisDeclarationHaveABody()) check(function->getBody(), function->isMain());
        return true;
    }
    bool VisitLambdaExpr(LambdaExpr *lambda) { return check(lambda->getBody()); }
    bool VisitBlockDecl(BlockDecl *block) { return check(block->getBody()); }

private:
    bool check(Stmt *body, bool is_main = false) {
        if (body) Body(context_, all_, is_main).check(body);
        return true;
    }

    ASTContext &context_;
    const Directives &all_;
};

} // namespace

void check_places(ASTContext &context, const Directives &all, Decl *declaration) {
    // What is said of a template holds for its instances, which have its literals, too.
    const auto *function = llvm::dyn_cast<FunctionDecl>(declaration);
    if (all.in_order().empty() || (function && function->isTemplateInstantiation())) return;
    Bodies(context, all).TraverseDecl(declaration);
}

} // namespace stretto::directives
