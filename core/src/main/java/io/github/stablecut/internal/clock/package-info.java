/**
 * The hybrid logical clock of a partition, the only reader of the machine's clock. Called only by
 * the partition.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.clock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
