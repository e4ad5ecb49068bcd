/**
 * The state of sequences: runs of elements in a balanced tree, and the compact encoding of their
 * ids.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.internal.sequence;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
