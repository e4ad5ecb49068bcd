/**
 * The partitions of a store behind one interface: which one has an object, where it is, and how a
 * transaction over several of them commits.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.transaction.routing;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
