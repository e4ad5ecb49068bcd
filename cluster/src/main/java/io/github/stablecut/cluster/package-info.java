/**
 * The service: a {@link io.github.stablecut.Store} served to other processes by AntidoteDB's client
 * protocol. What is not in a package called {@code internal} is for users.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
