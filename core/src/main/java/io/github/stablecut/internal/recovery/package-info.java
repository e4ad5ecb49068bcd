/**
 * The directories of stores and nodes: locks, identities and allowed content. Opened before
 * everything else.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.recovery;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
