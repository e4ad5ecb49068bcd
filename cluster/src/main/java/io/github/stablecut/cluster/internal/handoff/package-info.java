/**
 * Handoff of a partition from one node to another. The receiver copies the sender's files; the
 * sender closes the partition and records the new owner.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.handoff;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
