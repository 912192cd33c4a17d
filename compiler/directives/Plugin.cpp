/// stretto_directives.so: MDMP's directives in C and C++ (docs/mdmp.md), loaded by clang with -fplugin=. stretto-cc and stretto-c++ do it.
///
/// A directive is read when the preprocessor comes to it; the tokens of its calls take its place, and the parser sees a block of
/// statements. What can only be said of statements and of types is said when the parser has made them: before code is generated.
#include "Calls.h"
#include "Errors.h"
#include "Places.h"
#include "Reader.h"
#include "Types.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Pragma.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace stretto::directives {

namespace {

constexpr llvm::StringRef names[] = {"commregion", "commregionfinished", "send", "recv", "reduce", "bcast"};

/// Where the parser is. Its scope lags: what was read last has not been looked at when the next directive comes.
class Position {
public:
    explicit Position(CompilerInstance &compiler) : compiler_(compiler) {}

    void passed(const Token &token) {
        if (last_ == tok::l_brace) note_class();
        if (token.is(tok::l_brace)) depth_++;
        if (token.is(tok::r_brace)) {
            depth_--;
            while (!classes_.empty() && classes_.back().depth > depth_) classes_.pop_back();
        }
        last_ = token.getKind();
    }

    bool in_function() const {
        const Scope *scope = scope_now();
        if (!scope) return false;
        if (scope->isClassScope()) { // bodies in a class are kept for later, and read as a whole
            return !classes_.empty() && classes_.back().scope == scope && depth_ > classes_.back().depth;
        }
        if (last_ == tok::r_brace && scope->isFunctionScope()) scope = scope->getParent();
        return scope && scope->getFnParent();
    }

    /// Whether a statement can begin here. A colon: of a label, a bracket: of an if.
    bool between_statements() const {
        switch (last_) {
        case tok::semi:
        case tok::l_brace:
        case tok::r_brace:
        case tok::colon:
        case tok::r_paren:
        case tok::kw_else:
        case tok::kw_do:
            return true;
        default:
            return tok::isAnnotation(last_); // another pragma
        }
    }

private:
    const Scope *scope_now() const { return compiler_.hasSema() ? compiler_.getSema().getCurScope() : nullptr; }

    /// The brace before was that of a class, or one inside of it.
    void note_class() {
        const Scope *scope = scope_now();
        if (!scope || !scope->isClassScope()) return;
        if (classes_.empty() || classes_.back().scope != scope) classes_.push_back({scope, depth_});
    }

    CompilerInstance &compiler_;
    tok::TokenKind last_ = tok::semi;
    int depth_ = 0;
    struct Class {
        const Scope *scope;
        int depth; // of the braces around its members
    };
    std::vector<Class> classes_; // that are open, outermost first
};

struct State {
    explicit State(CompilerInstance &compiler) : compiler(compiler), position(compiler) {}

    CompilerInstance &compiler;
    Directives directives;
    Position position;
};

bool declares_what_is_called(CompilerInstance &compiler, SourceLocation where) {
    Sema &sema = compiler.getSema();
    IdentifierInfo &name = compiler.getPreprocessor().getIdentifierTable().get("stretto_section_send");
    return sema.LookupSingleName(sema.TUScope, &name, where, Sema::LookupOrdinaryName);
}

class Handler : public PragmaHandler {
public:
    Handler(std::shared_ptr<State> state, Kind kind)
        : PragmaHandler(names[static_cast<int>(kind)]), state_(std::move(state)), kind_(kind) {}

    void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer, Token &first) override {
        std::vector<Token> tokens;
        Token token;
        for (preprocessor.Lex(token); token.isNot(tok::eod) && token.isNot(tok::eof); preprocessor.Lex(token))
            tokens.push_back(token);
        std::optional<Directive> directive;
        if (may_stand(first.getLocation()))
            directive = read(preprocessor, kind_, first.getLocation(), tokens, token.getLocation());
        if (!directive) {
            state_->directives.some_refused = true;
            return;
        }
        const std::vector<Token> calls_ = calls(preprocessor, state_->directives.add(std::move(*directive)));
        auto copy = std::make_unique<Token[]>(calls_.size());
        std::copy(calls_.begin(), calls_.end(), copy.get());
        preprocessor.EnterTokenStream(std::move(copy), calls_.size(), /*DisableMacroExpansion=*/true,
                                      /*IsReinject=*/false);
    }

private:
    bool may_stand(SourceLocation where) {
        DiagnosticsEngine &to = state_->compiler.getDiagnostics();
        const std::string name = getName().str();
        if (!state_->compiler.hasSema() || !declares_what_is_called(state_->compiler, where)) {
            if (!state_->directives.some_refused)
                complain(to, where, name + " is a directive of MDMP: write #include <stretto/mdmp.h> before it");
            return false;
        }
        if (!state_->position.in_function()) {
            complain(to, where, name + " stands outside of any function: write it among the statements of one");
            return false;
        }
        if (!state_->position.between_statements()) {
            complain(to, where, name + " stands within a statement: write it before the statement, or behind its ';'");
            return false;
        }
        return true;
    }

    std::shared_ptr<State> state_;
    Kind kind_;
};

/// A name that no handler has. Without this one the compiler would ignore a misspelled directive.
class Unknown : public PragmaHandler {
public:
    Unknown(std::shared_ptr<State> state, bool ours) : state_(std::move(state)), ours_(ours) {}

    void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer, Token &first) override {
        const IdentifierInfo *name = first.getIdentifierInfo();
        if (!refuses(preprocessor, name ? name->getName() : llvm::StringRef(), first)) {
            preprocessor.Diag(first, diag::warn_pragma_ignored);
            return;
        }
        state_->directives.some_refused = true;
        if (first.isNot(tok::eod)) preprocessor.DiscardUntilEndOfDirective();
    }

private:
    static llvm::StringRef meant_by(llvm::StringRef name) {
        const std::string lower = name.lower();
        const bool region = lower.find("commreg") != lower.npos || lower.find("comreg") != lower.npos;
        const bool ends = lower.find("fin") != lower.npos || lower.find("end") != lower.npos;
        if (lower == "reduction" || lower == "allreduce") return "reduce";
        if (lower == "broadcast") return "bcast";
        return region ? names[ends] : nearest(name, names);
    }

    bool refuses(Preprocessor &preprocessor, llvm::StringRef name, const Token &first) {
        DiagnosticsEngine &to = preprocessor.getDiagnostics();
        const SourceLocation where = first.getLocation();
        const bool included = state_->compiler.hasSema() && declares_what_is_called(state_->compiler, where);
        if (!ours_ && !included) return false; // of somebody else's
        const std::string there_are = "there are commregion, commregionfinished, send, recv, reduce and bcast";
        if (name == "mdmp" && !ours_) {
            complain(to, where, "'#pragma mdmp' is no directive in C: write '#pragma send', or '#pragma stretto send'");
            return true;
        }
        if (const llvm::StringRef near = meant_by(name); !near.empty()) {
            complain(to, where, "there is no directive '" + name + "': did you mean '" + near + "'?")
                << FixItHint::CreateReplacement(where, near);
            return true;
        }
        if (!ours_) return false;
        complain(to, where,
                 (name.empty() ? std::string("a directive is missing behind '#pragma stretto'")
                               : "there is no directive '" + name.str() + "'") +
                     ": " + there_are);
        return true;
    }

    std::shared_ptr<State> state_;
    bool ours_; // behind #pragma stretto
};

class Consumer : public ASTConsumer {
public:
    explicit Consumer(std::shared_ptr<State> state) : state_(std::move(state)) {}

    bool HandleTopLevelDecl(DeclGroupRef group) override {
        for (Decl *declaration : group) check_places(declaration->getASTContext(), state_->directives, declaration);
        return true;
    }

    void HandleTranslationUnit(ASTContext &context) override {
        check_types(context, state_->directives);
        if (context.getDiagnostics().hasErrorOccurred()) return;
        for (const Directive *directive : state_->directives.in_order())
            if (!directive->placed)
                complain(context.getDiagnostics(), directive->where,
                         std::string(directive->name()) +
                             " stands where no statement can: write it among the statements of a function");
    }

private:
    std::shared_ptr<State> state_;
};

class Action : public PluginASTAction {
public:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
        auto state = std::make_shared<State>(compiler);
        Preprocessor &preprocessor = compiler.getPreprocessor();
        for (const Kind kind : {Kind::region, Kind::region_end, Kind::send, Kind::receive, Kind::reduce, Kind::bcast}) {
            preprocessor.AddPragmaHandler(new Handler(state, kind));
            preprocessor.AddPragmaHandler("stretto", new Handler(state, kind));
        }
        preprocessor.AddPragmaHandler(new Unknown(state, false));
        preprocessor.AddPragmaHandler("stretto", new Unknown(state, true));
        preprocessor.setPredefines(preprocessor.getPredefines() + "#define STRETTO_MDMP_DIRECTIVES 1\n");
        preprocessor.setTokenWatcher([state](const Token &token) { state->position.passed(token); });
        return std::make_unique<Consumer>(state);
    }

    bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override { return true; }

    /// Before code is generated.
    ActionType getActionType() override { return AddBeforeMainAction; }
};

const FrontendPluginRegistry::Add<Action> action("stretto-directives", "MDMP's directives");

} // namespace

} // namespace stretto::directives
