/**
 * Limits for what is logged about things that strangers cause, so that they can't fill a disk.
 * Called by everything that has a port.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.logging;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
