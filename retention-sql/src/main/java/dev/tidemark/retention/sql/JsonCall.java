package dev.tidemark.retention.sql;

import org.jooq.DSLContext;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.impl.DSL;

/**
 * Calls a function that answers with a JSON object and reads the keys on the server, so that Java
 * receives typed columns. The call stands in a derived table: a volatile function there is run
 * once, however many keys are read.
 */
final class JsonCall {
  private static final Field<JSONB> ANSWER = DSL.field(DSL.name("answer"), JSONB.class);

  private JsonCall() {}

  static <T> Field<T> key(String name, DataType<T> type) {
    return DSL.cast(DSL.jsonbGetAttributeAsText(ANSWER, name), type).as(name);
  }

  static Record call(DSLContext dsl, Field<JSONB> function, Field<?>... keys) {
    return dsl.select(keys)
        .from(DSL.select(function.as(ANSWER.getUnqualifiedName())).asTable("call"))
        .fetchSingle();
  }
}
