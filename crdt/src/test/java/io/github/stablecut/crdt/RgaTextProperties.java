package io.github.stablecut.crdt;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** A text of characters of one to four bytes in UTF-8, some of them two in Java. */
class RgaTextProperties extends RgaSpecification<String> {
  @Override
  RgaText type() {
    return RgaText.TYPE;
  }

  @Override
  Arbitrary<String> contents() {
    return Arbitraries.of("", "a", "b", "cd", "é", "x😀y", "漢字");
  }

  @Override
  List<String> split(String value) {
    return value.codePoints().mapToObj(Character::toString).toList();
  }

  @Override
  String join(List<String> elements) {
    return String.join("", elements);
  }

  @Override
  int maxElementBytes() {
    return 4;
  }
}
