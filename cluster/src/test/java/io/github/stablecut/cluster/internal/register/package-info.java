/** The register of layouts on three nodes in this process. */
@org.jspecify.annotations.NullMarked
package io.github.stablecut.cluster.internal.register;
