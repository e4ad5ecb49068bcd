/**
 * Settings files: HOCON as {@link io.github.stablecut.cluster.ServerSettings}. The only user of the
 * library for HOCON. {@code reference.conf} is the list of settings; nothing repeats its defaults.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.settings;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
