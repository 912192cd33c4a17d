/// What the user is told: one sentence that says what is wrong, and what to write instead.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <string>

namespace stretto::directives {

inline clang::DiagnosticBuilder complain(clang::DiagnosticsEngine &to, clang::SourceLocation where,
                                         const llvm::Twine &what) {
    return to.Report(where, to.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << what.str();
}

inline void warn(clang::DiagnosticsEngine &to, clang::SourceLocation where, const llvm::Twine &what) {
    to.Report(where, to.getCustomDiagID(clang::DiagnosticsEngine::Warning, "%0")) << what.str();
}

inline void note(clang::DiagnosticsEngine &to, clang::SourceLocation where, const llvm::Twine &what) {
    to.Report(where, to.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0")) << what.str();
}

/// The one of `all` that was meant by `word`; empty where none is near.
inline llvm::StringRef nearest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> all) {
    const auto letters = [](llvm::StringRef of) {
        std::string sorted = of.lower();
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    };
    llvm::StringRef best;
    unsigned distance = word.size() > 4 ? 3 : 2; // less than so many letters, or two that have changed their places
    for (llvm::StringRef one : all) {
        const unsigned far = letters(word) == letters(one) ? 1 : llvm::StringRef(word.lower()).edit_distance(one);
        if (far >= distance) continue;
        distance = far;
        best = one;
    }
    return best;
}

} // namespace stretto::directives
