/**
 * Two-phase commit: the coordinator and the participants of transactions over several partitions.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.partition.twophase;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
