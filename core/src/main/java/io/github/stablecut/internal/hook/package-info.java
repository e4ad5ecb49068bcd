/**
 * Running users' hooks before and after commits: on threads of their own, with a time limit, so
 * that whatever they do stays theirs. Called by transactions; knows the public API only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.hook;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
