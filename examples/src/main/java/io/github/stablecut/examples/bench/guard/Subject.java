package io.github.stablecut.examples.bench.guard;

/**
 * The subject of a measurement.
 *
 * @param name in tables
 * @param target the store or a peer of it
 * @param classPath of its processes
 */
public record Subject(String name, String target, String classPath) {}
