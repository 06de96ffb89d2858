print("push-enricher")
