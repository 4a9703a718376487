"""IORails of NeMo Guardrails behind FastAPI: server.py UPSTREAM PORT. One regex rail on input and one on output."""

import json
import sys

import uvicorn
from fastapi import FastAPI, Request
from nemoguardrails import RailsConfig
from nemoguardrails.guardrails.iorails import IORails

upstream, port = sys.argv[1], int(sys.argv[2])
patterns = {"patterns": ["\\bforbidden\\b"]}
parameters = {"base_url": upstream, "api_key": "sk-bench"}
config = {
    "models": [{"type": "main", "engine": "openai", "model": "instant", "parameters": parameters}],
    "rails": {
        "input": {"flows": ["regex check input"]},
        "output": {"flows": ["regex check output"]},
        "config": {"regex_detection": {"input": patterns, "output": patterns}},
    },
}
rails = IORails(RailsConfig.from_content(yaml_content=json.dumps(config)))
app = FastAPI()


@app.post("/v1/chat/completions")
async def chat(request: Request):
    body = await request.json()
    message = await rails.generate_async(messages=body["messages"])
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"object": "chat.completion", "model": body["model"], "choices": [choice]}


uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)
