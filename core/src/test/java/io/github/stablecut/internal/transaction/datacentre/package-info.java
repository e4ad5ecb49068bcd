@org.jspecify.annotations.NullMarked
package io.github.stablecut.internal.transaction.datacentre;
