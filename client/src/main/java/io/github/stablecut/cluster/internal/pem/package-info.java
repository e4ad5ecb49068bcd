/** Certificates and keys in PEM files, of clients, servers and nodes. Knows no connection. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.pem;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
