/**
 * Reads settings files in HOCON as {@link io.github.stablecut.cluster.ServerSettings}. The only
 * user of the HOCON library. {@code reference.conf} lists all settings, and only it has their
 * defaults.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.settings;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
