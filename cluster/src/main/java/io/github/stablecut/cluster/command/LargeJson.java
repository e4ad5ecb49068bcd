package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Reads what servers answer, whose objects may be larger than Jackson takes by default. */
final class LargeJson {
  private LargeJson() {}

  /** Reads texts and numbers of any length. */
  static ObjectMapper mapper() {
    return new ObjectMapper(
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build());
  }
}
