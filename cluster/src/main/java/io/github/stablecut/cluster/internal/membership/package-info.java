/**
 * Membership: who is in the cluster, who may join, who is removed, who owns which partition, and
 * what of it is published. Knows neither Akka nor the bytes of messages.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.membership;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
