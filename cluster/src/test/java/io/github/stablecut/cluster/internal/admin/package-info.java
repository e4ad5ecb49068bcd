@org.jspecify.annotations.NullMarked
package io.github.stablecut.cluster.internal.admin;
