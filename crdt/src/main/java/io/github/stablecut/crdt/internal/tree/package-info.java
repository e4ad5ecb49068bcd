/**
 * A persistent sorted map whose nodes are loaded from pages on demand: the state of sets, maps and
 * streams.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.internal.tree;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
