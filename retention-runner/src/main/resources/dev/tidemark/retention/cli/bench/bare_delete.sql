-- The least that deleting the same rows costs: no lock on the partition, no watermark, no history.
delete from queen.log_segments where created_at < now() - interval '1 day'
