"""A LangChain retriever: the chunks of a pack become documents, within an exact token budget.

    python langchain_retriever.py "how are redirects followed?" path/to/repository
"""

import json
import sys

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

import kitbag
import kitbag.aio

# Best first, instead of by file.
OPTIONS = {"formatting": {"group_by_file": False}}


class KitbagRetriever(BaseRetriever):
    """Retrieves the code that is relevant to a query, best first."""

    repo: str = "."
    budget: int = 8_000

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return _documents(kitbag.pack(query, repo=self.repo, budget=self.budget, format="json", options=OPTIONS))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return _documents(
            await kitbag.aio.pack(query, repo=self.repo, budget=self.budget, format="json", options=OPTIONS)
        )


def _documents(pack: kitbag.Pack) -> list[Document]:
    def document(chunk: dict[str, object]) -> Document:
        source = f"{chunk['file']}:{chunk['startLine']}-{chunk['endLine']}"
        metadata = {"source": source, "relevance": chunk["relevance"], "language": chunk["language"]}
        return Document(page_content=str(chunk["content"]), metadata=metadata)

    return [document(chunk) for chunk in json.loads(pack.content)["chunks"]]


if __name__ == "__main__":
    task, repo = sys.argv[1:]
    for found in KitbagRetriever(repo=repo).invoke(task):
        print(found.metadata["source"], found.metadata["relevance"])
