#include "Types.h"
#include "Calls.h"
#include "Errors.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

namespace stretto::directives {

namespace {

std::string numbered(const char *name, std::size_t k) {
    return name + std::to_string(k) + "_";
}

/// One directive, in a function or in an instance of a template. The first error ends it.
class Checked {
public:
    Checked(ASTContext &context, Directive &directive, const CompoundStmt *block)
        : context_(context), diagnostics_(context.getDiagnostics()), directive_(directive) {
        for (const Stmt *statement : block->body())
            if (const auto *declarations = dyn_cast<DeclStmt>(statement))
                for (const Decl *declaration : declarations->decls())
                    if (const auto *one = dyn_cast<VarDecl>(declaration)) variables_[one->getName()] = one;
    }

    void check() {
        if (depends_on_a_template()) return;
        const bool right = ranges() && element() && number(variable::count, "the count") &&
                           number(variable::partner, "the partner") && number(variable::tag, "the tag") &&
                           number(variable::root, "the root") && tag_is_right() && count_is_right();
        if (!right) directive_.complained = true;
    }

private:
    // --- the block's variables -------------------------------------------------------------------------------------------------

    const VarDecl *variable_of(const std::string &name) const {
        const auto found = variables_.find(name);
        return found == variables_.end() || found->second->isInvalidDecl() ? nullptr : found->second;
    }

    bool depends_on_a_template() const {
        for (const auto &[name, one] : variables_)
            if (one->getType()->isDependentType() || (one->getInit() && one->getInit()->isInstantiationDependent()))
                return true;
        return false;
    }

    static const Expr *bare(const Expr *expression) { return expression ? expression->IgnoreParenImpCasts() : nullptr; }

    /// What `&` or __builtin_addressof is taken of.
    const Expr *object(const std::string &name) const {
        const VarDecl *variable = variable_of(name);
        const Expr *address = variable ? bare(variable->getInit()) : nullptr;
        if (const auto *cleanups = dyn_cast_or_null<ExprWithCleanups>(address)) address = bare(cleanups->getSubExpr());
        if (const auto *unary = dyn_cast_or_null<UnaryOperator>(address)) return unary->getSubExpr()->IgnoreParens();
        if (const auto *call = dyn_cast_or_null<CallExpr>(address); call && call->getNumArgs() == 1)
            return bare(call->getArg(0));
        return nullptr;
    }

    /// The program's expression in (int)(long)(expression).
    static const Expr *given(const Expr *expression) {
        const Expr *now = bare(expression);
        if (const auto *cleanups = dyn_cast_or_null<ExprWithCleanups>(now)) now = bare(cleanups->getSubExpr());
        for (int casts = 0; casts < 2; casts++) {
            const auto *cast = dyn_cast_or_null<ExplicitCastExpr>(now);
            if (!cast) return nullptr;
            now = cast->getSubExprAsWritten()->IgnoreParenImpCasts();
        }
        return now->IgnoreParens();
    }

    std::optional<std::int64_t> constant(const Expr *expression) const {
        Expr::EvalResult result;
        if (!expression || expression->isValueDependent() || !expression->getType()->isIntegralOrEnumerationType() ||
            !expression->EvaluateAsInt(result, context_))
            return {};
        return result.Val.getInt().getExtValue();
    }

    /// Element k of an array's initializer.
    const Expr *element_of(const char *name, std::size_t k) const {
        const VarDecl *variable = variable_of(name);
        const auto *list = variable ? dyn_cast_or_null<InitListExpr>(bare(variable->getInit())) : nullptr;
        return list && k < list->getNumInits() ? list->getInit(k) : nullptr;
    }

    // --- words -----------------------------------------------------------------------------------------------------------------

    bool wrong(SourceLocation where, const llvm::Twine &what) {
        complain(diagnostics_, where, name() + ": " + what);
        return false;
    }
    std::string name() const { return directive_.name(); }
    std::string written(QualType type) const { return "'" + type.getAsString(context_.getPrintingPolicy()) + "'"; }
    SourceLocation where(const Tokens &tokens) const {
        return tokens.empty() ? directive_.where : tokens.front().getLocation();
    }
    SourceLocation section() const {
        const Section &section = directive_.section;
        return section.pieces.front().empty() ? directive_.where : section.pieces.front().front().getLocation();
    }

    // --- ranges ----------------------------------------------------------------------------------------------------------------

    bool ranges() {
        const std::size_t n = directive_.section.ranges.size();
        for (std::size_t k = 0; k < n; k++)
            if (!whole(k) || !numbers(k) || !subscripted(k)) return false;
        return regular(object(variable::first), n);
    }

    /// Where the length was left out it is the array's.
    bool whole(std::size_t k) {
        const Range &range = directive_.section.ranges[k];
        if (!range.length.empty()) return true;
        const Expr *object_ = object(numbered(variable::whole, k));
        if (!object_ || object_->getType()->isArrayType()) return true;
        const QualType type = object_->getType();
        if (type->isPointerType())
            return wrong(range.where,
                         "how many elements " + written(type) + " points to is not known: write [lower:length]");
        return wrong(range.where, written(type) + " is no array, and its length is not known: write [lower:length]");
    }

    bool numbers(std::size_t k) {
        const Range &range = directive_.section.ranges[k];
        if (!integer(given(multiplied(element_of(variable::stride, k))), where(range.stride), "the stride") ||
            !(range.length.empty() ||
              integer(given(element_of(variable::count, k)), where(range.length), "the length")))
            return false;
        const auto stride = range.stride.empty() ? 1 : constant(given(multiplied(element_of(variable::stride, k))));
        if (stride && *stride < 1)
            return wrong(where(range.stride), "the stride is " + std::to_string(*stride) +
                                                  ", and 1 is the least: write [lower:length:stride] upwards");
        const auto length = range.length.empty() ? std::nullopt : constant(given(element_of(variable::count, k)));
        if (length && *length < 0)
            return wrong(where(range.length),
                         "the length is " + std::to_string(*length) +
                             ": behind the colon stands how many elements, not the last one: write [lower:length]");
        return true;
    }

    /// stride * size
    static const Expr *multiplied(const Expr *expression) {
        const auto *product = dyn_cast_or_null<BinaryOperator>(bare(expression));
        return product ? product->getLHS() : expression;
    }

    /// What stands before the bracket, and whether the range lies inside of it.
    bool subscripted(std::size_t k) {
        const Range &range = directive_.section.ranges[k];
        const Expr *object_ = object(numbered(variable::part, k));
        if (!object_) return true;
        if (!lasts(object_)) return false;
        if (const auto *call = dyn_cast<CXXOperatorCallExpr>(object_)) {
            const QualType type = call->getArg(0)->getType();
            if (!keeps_together(type))
                return wrong(
                    range.where,
                    "elements of " + written(type) +
                        " do not lie one behind another: send them one by one, or from an array or a std::vector");
            return regular(call->getArg(0)->IgnoreParenImpCasts(), k);
        }
        const auto *subscript = dyn_cast<ArraySubscriptExpr>(object_);
        if (!subscript) return true;
        const Expr *base = subscript->getBase()->IgnoreParens();
        if (range.length.empty())
            base = object(numbered(variable::whole, k));
        else if (!array_in(base))
            return k == 0 || pointer(base, range.where);
        else
            base = array_in(base);
        return base && inside(k, base, range.lower.empty() ? nullptr : lower_of(k, subscript)) && regular(base, k);
    }

    const Expr *lower_of(std::size_t k, const ArraySubscriptExpr *subscript) const {
        if (!directive_.section.ranges[k].length.empty()) return subscript->getIdx();
        const VarDecl *variable = variable_of(numbered(variable::lower, k));
        return variable ? given(variable->getInit()) : nullptr;
    }

    /// The array that becomes a pointer here.
    static const Expr *array_in(const Expr *base) {
        const auto *cast = dyn_cast<ImplicitCastExpr>(base);
        if (!cast || cast->getCastKind() != CK_ArrayToPointerDecay) return nullptr;
        return cast->getSubExpr()->IgnoreParens();
    }

    bool pointer(const Expr *base, SourceLocation where) {
        return wrong(where, written(base->IgnoreParenImpCasts()->getType()) +
                                " is a pointer: what lies behind those of a range does not lie at one "
                                "distance: send them one by one");
    }

    bool inside(std::size_t k, const Expr *array, const Expr *lower) {
        const auto *type = context_.getAsConstantArrayType(array->getType());
        const Range &range = directive_.section.ranges[k];
        if (!type) return true;
        const std::int64_t size = type->getSize().getSExtValue();
        const auto first = range.lower.empty() ? 0 : constant(lower);
        const std::string has = "the array has " + std::to_string(size) + " elements";
        if (first && (*first < 0 || *first > size || (*first == size && range.length.empty())))
            return wrong(where(range.lower),
                         has + ", and the section begins at " + std::to_string(*first) + ": the first one is 0");
        const auto length = range.length.empty() ? std::nullopt : constant(given(element_of(variable::count, k)));
        const auto stride = range.stride.empty() ? 1 : constant(given(multiplied(element_of(variable::stride, k))));
        if (!length || *length < 1) return true;
        const std::int64_t last = first.value_or(0) + (*length - 1) * stride.value_or(1);
        if (last < size) return true;
        return wrong(where(range.length), has + ", and the section has element " + std::to_string(last) +
                                              ": write [lower:length], a length and not the last element");
    }

    /// A class whose elements lie one behind another has data().
    static bool keeps_together(QualType type) {
        const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
        if (!record) return true;
        bool found = false;
        const auto look = [&](const CXXRecordDecl *one) {
            for (const CXXMethodDecl *method : one->methods())
                found |= method->getDeclName().isIdentifier() && method->getName() == "data" &&
                         method->getReturnType()->isPointerType();
            return true;
        };
        look(record);
        if (record->hasDefinition()) record->forallBases(look);
        return found;
    }
    static bool is_std_array(QualType type) {
        const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
        return record && record->isInStdNamespace() && record->getName() == "array";
    }

    /// Between the range before and this one the way leads through no pointer, so that all elements lie at one distance.
    bool regular(const Expr *expression, std::size_t ranges_before) {
        if (!ranges_before) return true;
        const SourceLocation place = directive_.section.ranges[ranges_before - 1].where;
        for (const Expr *now = bare(expression); now;) {
            if (const auto *member = dyn_cast<MemberExpr>(now)) {
                if (member->isArrow() || member->getMemberDecl()->getType()->isReferenceType())
                    return pointer(member->isArrow() ? member->getBase() : member, place);
                now = bare(member->getBase());
            } else if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(now)) {
                const Expr *array = array_in(subscript->getBase()->IgnoreParens());
                if (!array) return pointer(subscript->getBase(), place);
                now = array;
            } else if (const auto *call = dyn_cast<CXXOperatorCallExpr>(now)) {
                if (!is_std_array(call->getArg(0)->getType()))
                    return wrong(place, "elements of " + written(call->getArg(0)->getType()) +
                                            " lie elsewhere in memory than the object itself: send them one by one");
                now = bare(call->getArg(0));
            } else if (const auto *cast = dyn_cast<CastExpr>(now)) {
                now = bare(cast->getSubExpr());
            } else {
                return true; // the range before, or what the compiler has refused
            }
        }
        return true;
    }

    // --- elements --------------------------------------------------------------------------------------------------------------

    /// The compiler has its own words for a value that has no place, unless it was told to have none.
    bool lasts(const Expr *object) {
        if (!object || !object->isPRValue() || !object->getType()->isRecordType()) return true;
        return !diagnostics_.hasErrorOccurred() &&
               wrong(section(), "this is a value without a place in memory: write a variable");
    }

    bool element() {
        if (!lasts(object(variable::first))) return false;
        const VarDecl *first = variable_of(variable::first);
        if (!first || !first->getType()->isPointerType()) return true;
        const QualType type = first->getType()->getPointeeType();
        return has_value(type) && is_no_address(type) && is_no_class_with_an_owner(type) && may_be_written(type) &&
               can_be_reduced(type);
    }

    bool counted() const { return !directive_.count.empty(); }
    bool ranged() const { return !directive_.section.ranges.empty(); }

    bool has_value(QualType type) {
        if (type->isFunctionType()) return wrong(section(), "this is a function: a section is a variable");
        if (type->isVoidType())
            return wrong(section(), "the type of the elements is not known behind a 'void *': convert it: write "
                                    "((double *)p)[lower:length]");
        if (type->isIncompleteType())
            return wrong(section(), written(type) + " is not complete here: #include what defines it");
        return true;
    }

    bool is_no_address(QualType type) {
        const std::string text = directive_.text;
        if (type->isArrayType()) {
            std::string dimensions;
            for (QualType row = type; row->isArrayType(); row = context_.getAsArrayType(row)->getElementType())
                dimensions += counted() ? "[0]" : "[:]";
            return wrong(section(),
                         counted() ? "'" + text + "' is an array, and the count is of elements: write its first one, " +
                                         text + dimensions
                         : ranged() ? "the elements are arrays, " + written(type) + ": write each dimension, " + text +
                                          dimensions
                                    : "'" + text + "' is an array: write " + text + dimensions + " for all of it");
        }
        if (type->isPointerType() && !ranged())
            return wrong(section(), "'" + text + "' is a pointer, without bounds: write " + text + "[0:length]" +
                                        (counted() ? " without a count, or " + text + "[0] with it" : ""));
        const QualType base = context_.getBaseElementType(type);
        if (base->isPointerType() || base->isMemberPointerType() || base->isNullPtrType() || base->isBlockPointerType())
            return wrong(section(), "the elements are pointers, " + written(base) +
                                        ", which mean nothing to another rank: send what they point to");
        return true;
    }

    bool is_no_class_with_an_owner(QualType type) {
        const QualType base = context_.getBaseElementType(type);
        if (base->isAtomicType())
            return wrong(section(), written(base) + " is atomic: copy it to a variable that is not, and send this");
        if (context_.getLangOpts().CPlusPlus && !base.isTriviallyCopyableType(context_)) {
            const bool container = base->isRecordType() && keeps_together(base);
            return wrong(
                section(),
                written(base) + " is not trivially copyable, and its bytes alone are not its value: " +
                    (container ? "write " + directive_.text + "[0:length] for its elements" : "send its members"));
        }
        if (const RecordDecl *record = base->getAsRecordDecl())
            for (const FieldDecl *field : record->fields())
                if (context_.getBaseElementType(field->getType())->isAnyPointerType() && !directive_.warned) {
                    warn(diagnostics_, section(),
                         name() + ": the member '" + field->getName() + "' of " + written(base) +
                             " is a pointer, which means nothing to another rank");
                    directive_.warned = true;
                }
        return true;
    }

    bool may_be_written(QualType type) {
        if (directive_.kind == Kind::send) return true;
        const QualType base = context_.getBaseElementType(type);
        if (!base.isConstQualified() && !type.isConstQualified()) return true;
        const bool receives = directive_.kind == Kind::receive;
        return wrong(section(), "'" + directive_.text + "' is const, and " +
                                    (receives ? "receives nothing: receive into a variable that is not"
                                              : "its result would be written there: write a variable that is not"));
    }

    bool can_be_reduced(QualType given) {
        if (directive_.kind != Kind::reduce) return true;
        const QualType type = given.getNonReferenceType().getUnqualifiedType().getCanonicalType();
        const std::string of = "a reduction is of numbers, and the elements are " + written(given.getUnqualifiedType());
        const bool complex = is_complex(type), logical = type->isBooleanType();
        const bool whole = !logical && !type->isEnumeralType() && type->isIntegerType() && !type->isBitIntType();
        const bool floating = type->isSpecificBuiltinType(BuiltinType::Float) ||
                              type->isSpecificBuiltinType(BuiltinType::Double) ||
                              type->isSpecificBuiltinType(BuiltinType::LongDouble);
        if (type->isRecordType() && !complex) return wrong(section(), of + ": reduce its members one by one");
        if (!complex && !logical && !whole && !floating)
            return wrong(section(), of + ": copy them to integers, float, double, complex numbers or bool");
        if (context_.getTypeSize(type) > (complex ? 256 : floating ? 128 : 64))
            return wrong(section(), of + ", for which MPI has no type: copy them to numbers of 64 bits");
        const bool any = directive_.operation <= Operation::multiply, order = directive_.operation <= Operation::max;
        const bool right = any ? !logical : order ? whole || floating : whole || logical;
        if (right) return true;
        return wrong(section(), std::string("the elements are ") + written(given.getUnqualifiedType()) + ", and " +
                                    directive_.operation_name() + " is of " +
                                    (any     ? "numbers: write && or ||"
                                     : order ? "integers and floating-point numbers"
                                             : "integers and bool"));
    }

    /// C's in C, std::complex in C++.
    bool is_complex(QualType type) const {
        if (const auto *complex = type->getAs<ComplexType>())
            return !context_.getLangOpts().CPlusPlus && complex->getElementType()->isFloatingType();
        const CXXRecordDecl *record = type->getAsCXXRecordDecl();
        return record && record->isInStdNamespace() && record->getName() == "complex";
    }

    // --- numbers ---------------------------------------------------------------------------------------------------------------

    bool integer(const Expr *expression, SourceLocation where, const char *what) {
        if (!expression) return true;
        const QualType type = expression->getType();
        if (type->isIntegralOrUnscopedEnumerationType() || type->isRecordType()) return true;
        return wrong(where, std::string(what) + " is of type " + written(type) + ": write an integer");
    }

    const Tokens &tokens_of(const char *name) const {
        return name == variable::count  ? directive_.count
               : name == variable::tag  ? directive_.tag
               : name == variable::root ? directive_.root
                                        : directive_.partner;
    }

    bool number(const char *name, const char *what) {
        const VarDecl *variable = variable_of(name);
        if (tokens_of(name).empty() || !variable) return true;
        const Expr *value = name == variable::count ? element_of(name, 0) : variable->getInit();
        return integer(given(value), where(tokens_of(name)), what);
    }

    bool tag_is_right() {
        const VarDecl *tag = variable_of(variable::tag);
        const auto value = tag ? constant(given(tag->getInit())) : std::nullopt;
        if (!value || *value >= 0) return true;
        return wrong(where(directive_.tag),
                     "the tag is " + std::to_string(*value) + ": write a number of 0 or more, or leave it out");
    }

    bool count_is_right() {
        if (!counted()) return true;
        const auto count = constant(given(element_of(variable::count, 0)));
        if (!count) return true;
        if (*count < 0)
            return wrong(where(directive_.count),
                         "the count is " + std::to_string(*count) + ": write how many elements, 0 or more");
        const auto left = elements_left(object(variable::first));
        if (!left || *count <= *left) return true;
        return wrong(where(directive_.count), "the array has " + std::to_string(*left) + " elements from " +
                                                  directive_.text + " on, and the count is " + std::to_string(*count) +
                                                  ": write a smaller one");
    }

    /// From this one on, of an array of known bounds and by constant subscripts.
    std::optional<std::int64_t> elements_left(const Expr *element) const {
        std::int64_t before = 0, all = 1;
        const auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(element);
        if (!subscript) return {};
        for (; subscript;) {
            const Expr *array = array_in(subscript->getBase()->IgnoreParens());
            const auto *type = array ? context_.getAsConstantArrayType(array->getType()) : nullptr;
            const auto index = constant(subscript->getIdx());
            if (!type || !index) return {};
            before += *index * all;
            all *= type->getSize().getSExtValue();
            subscript = dyn_cast<ArraySubscriptExpr>(array);
        }
        return all - before;
    }

    ASTContext &context_;
    DiagnosticsEngine &diagnostics_;
    Directive &directive_;
    llvm::StringMap<const VarDecl *> variables_;
};

class Blocks : public RecursiveASTVisitor<Blocks> {
public:
    Blocks(ASTContext &context, const Directives &all) : context_(context), all_(all) {}
    bool shouldVisitTemplateInstantiations() const { return true; }

    bool VisitCompoundStmt(CompoundStmt *block) {
        Directive *directive = all_.at(block->getLBracLoc());
        if (directive && directive->has_section() && !directive->complained)
            Checked(context_, *directive, block).check();
        return true;
    }

private:
    ASTContext &context_;
    const Directives &all_;
};

} // namespace

void check_types(ASTContext &context, const Directives &all) {
    if (!all.in_order().empty()) Blocks(context, all).TraverseDecl(context.getTranslationUnitDecl());
}

} // namespace stretto::directives
