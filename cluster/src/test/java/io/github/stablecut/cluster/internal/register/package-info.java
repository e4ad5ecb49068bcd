/** Tests of the configuration register, with several nodes in one process. */
@org.jspecify.annotations.NullMarked
package io.github.stablecut.cluster.internal.register;
