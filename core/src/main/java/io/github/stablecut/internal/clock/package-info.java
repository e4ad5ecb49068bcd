/**
 * The hybrid logical clock of a partition. It reads the machine's clock and nothing else does.
 * Called by the partition only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.clock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
