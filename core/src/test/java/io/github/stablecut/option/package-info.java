@org.jspecify.annotations.NullMarked
package io.github.stablecut.option;
