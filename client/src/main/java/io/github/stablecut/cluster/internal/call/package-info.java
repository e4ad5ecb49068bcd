/**
 * The protocol between {@code Stablecut.connect} and a server: calls, answers, and their encoding.
 * No I/O. Used by the client and by the server's service.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.call;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
