package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * A {@code bytea[]} of bound elements. Bound whole, jOOQ spells it as text, in which an empty
 * element vanishes and any other takes five times its size.
 */
final class ByteArrays {
  private ByteArrays() {}

  static <T> Field<byte[][]> of(List<T> items, Function<T, byte[]> part) {
    List<Field<byte[]>> elements = new ArrayList<>();
    for (T item : items) {
      elements.add(val(part.apply(item)));
    }
    return elements.isEmpty() ? val(new byte[0][]) : DSL.array(elements);
  }
}
