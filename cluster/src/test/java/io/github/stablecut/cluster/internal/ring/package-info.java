/** Tests of the ring: messages and nodes. */
@org.jspecify.annotations.NullMarked
package io.github.stablecut.cluster.internal.ring;
