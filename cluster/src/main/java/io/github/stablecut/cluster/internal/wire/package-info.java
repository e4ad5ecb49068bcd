/**
 * What nodes tell each other: messages as values, and their bytes. Knows nothing of how messages
 * travel.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.wire;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
