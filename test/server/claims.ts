/** What docs/server.md, docs/apis.md and docs/security.md say of servers, and the tests that hold it. */

export interface Claim {
  /** Of the page. */
  readonly words: string;
  /** Of a suite, below test/. */
  readonly file: string;
  /** The test's name. */
  readonly title: string;
}

const claims = (lines: string): readonly Claim[] =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      // a tilde stands for the mark of code
      const [words = "", file = "", title = ""] = line.replaceAll("~", "`").split(" :: ");
      return { words, file, title };
    });

export const SERVER = claims(String.raw`
More requests wait, and their lanes take turns :: server/queue :: a lane with many requests does not keep others waiting
a request with a large ~n~ keeps no other waiting :: server/queue :: a request of all places keeps neither other lanes waiting nor requests of its own
with one sequence, or 256, there are none :: server/queue :: without a spare place who comes waits for the end of a text
long ones are read in pieces :: e2e/prefill :: eight others write a token between two pieces of a prompt of 2 000 tokens
a chat that goes on finds the place where its text is :: server/chat :: a conversation that goes on computes little of its prompt
texts with costly samplers take turns by lane :: e2e/budget :: has turns by lane: one lane's many costly texts take no more than another's one
the others have a token in every decode :: e2e/budget :: has a cheap text in every decode until it is written, and costly ones by turns
texts are [drafted](speculation.md), for the same text in fewer decodes :: server/drafts :: by %s are the same texts, and tell what was accepted
~speculate~ of a request says otherwise :: server/drafts :: a request chooses, and what the server does not have is refused
Only requests with ~"id_slot": N~ run there :: server/queue :: reserved places are for those who ask for them, and never wait for others
~id_slot~ of another place makes a request wait for that one :: server/queue :: a request waits for the place that it asks for, and others of its lane go on
Places with different chains, also with chains that run on the host, are decoded in one batch :: server/lifecycle :: a place has a sampler of its own, beside places with other chains
Prompts and conversations become tokens on other threads :: server/longTexts :: the event loop is free while a prompt of %s becomes tokens
short ones beside long ones, whose time lanes share :: server/longTexts :: eight addresses with many long prompts delay a prompt of another one for no more than a few of them
is a 400 before llama.cpp sees it :: tokenize/tokenize :: what takes too much is refused: %s
A client that goes away frees its place within a token, also while it waits or while its prompt is read :: server/lifecycle :: leaves the queue, and ends the reading of its prompt
A client that reads slowly holds up only its own text :: server/lifecycle :: a reader that is slow holds up only its own text
one that takes nothing for 60 s counts as gone :: server/events :: a reader that takes nothing counts as gone after a time
has a ping each 15 seconds :: server/pings :: each API's stream has pings before its first event, and the same text
an event ~ping~ of Anthropic's API, a comment line of server-sent events for OpenAI's :: server/pings :: each API's stream has pings before its first event, and the same text
what is refused after it is an event :: server/pings :: a refusal after a ping is an event; without pings it has its status
Ollama's lines of JSON have no such thing :: server/events :: lines of JSON have none
~response_format~ is enforced while tokens are picked :: server/chat :: a JSON schema is enforced
A keyword that cannot be enforced is a 400 :: server/chat :: a JSON schema is enforced
Tools are shown to the model by its chat template :: server/chat :: one that must be called is called, with arguments that its schema allows
Of llama.cpp's 70 templates 59 have such a form :: chat/toolForms :: the templates without a form
Text around calls is content as it was written :: chat/toolForms :: content before a call, in pieces of %i
Several calls are read where the template shows several :: chat/toolForms :: calls, in pieces of %i
Marks may be control tokens :: server/calls :: begins a call of one of the tools, with arguments that its schema allows
Arguments are sent as the model wrote them :: chat/toolReader :: arguments are as they are written
those of histories reach the template so :: chat/toolForms :: the next turn shows the message that was read as the template wrote it
Ids have nine letters and digits :: chat/toolReader :: ids have nine letters and digits, and each call its own
Arguments are streamed as the model writes them :: server/calls :: the arguments come as they are written
one of a function that is named :: server/calls :: calls that are asked for: several, unless one is
With ~tool_choice~ of ~required~ or of a function, calls are enforced :: server/chat :: one that must be called is called, with arguments that its schema allows
what begins with the form's mark is a call of one of the tools :: chat/toolForms :: the grammars of calls take what the template writes, and no other tool or arguments
A tool whose schema cannot be enforced has any arguments then :: server/calls :: a tool whose schema cannot be enforced has any arguments; others obey theirs
where the chain of the request has no place for a grammar :: server/calls :: a chain without a place for a grammar is taken as it is
A call that a limit cuts has the arguments so far :: server/calls :: a tool whose schema cannot be enforced has any arguments; others obey theirs
what is cut before its arguments is content :: server/calls :: several calls, and text after them
is in ~reasoning_content~ of a message :: server/reasoning :: is separated from content, whole and as a stream
The form of thoughts is read off the chat template :: chat/reasoningForms :: what the template writes, and the next turn with it
Of llama.cpp's 70 templates 46 have one :: chat/reasoningForms :: the templates without a form
~reasoning_format: "none"~ leaves the text as the model wrote it :: server/reasoning :: is content as it is written with ~reasoning_format: none~
A thought that the prompt begins has no mark in the text :: chat/reasoningForms :: a thought that the prompt begins
one that does not end is all of the answer :: server/reasoning :: that does not end is all of the answer
Marks inside content are content :: chat/reasoningForms :: marks inside content are content
of a history reaches the template by the name that it reads :: chat/reasoningForms :: what the template writes, and the next turn with it
counts thoughts with their marks :: chat/reasoningForms :: tokens of a thought are counted with its marks
become the variables that the template reads :: server/reasoning :: is switched by the variable that the template reads
a level that the template does not have is the next one that it has :: server/reasoning :: has levels where the template has them
What the template cannot be told is a 400 :: server/reasoning :: %s cannot be told %j
ends a thought after so many tokens :: server/reasoning :: writes the end, and the answer begins
With 0 there is no thought :: server/reasoning :: of 0 leaves no thought
are enforced after the thought, which is free text :: server/reasoning :: comes the format of the response
the answer is what comes after it :: server/continued :: the answer is what comes after the last message, whole and as a stream, without a thought
The prompt is what the template writes up to the end of that text :: chat/continued :: is the beginning of the conversation, as llama.cpp's engine writes it: %s
without it a last message of the assistant is one of the history :: server/continued :: without it a last message of the assistant is one of the history
No thought comes, since the answer has begun :: chat/continued :: with what ~generate~ writes after the same text, and no thought comes
A thought alone cannot go on :: server/continued :: %j is refused
are about the whole answer, and are refused :: server/continued :: %j is refused
template without such a form is a 400 :: server/chat :: a tool that is none of them, and tools without a form of calls, are refused
A text never has the phrases of ~banned_phrases~ :: server/phrases :: are in no text, by each of their names
are lists of texts whatever their case :: server/phrases :: are in no text, by each of their names
What may become a phrase is held back :: server/phrases :: are in no event of a stream
by the same random number: one seed, one text :: server/phrases :: one seed is one text, alone and beside others
They work with every sampler :: server/phrases :: work with any sampler
where a grammar allows nothing else, the phrase stays :: server/phrases :: stay where a grammar allows nothing else
and its longest match is at most 1 024 bytes :: server/phrases :: what is wrong has the name of its field: %#
A list has at most 4 096 phrases of 65 536 bytes, and 256 regular expressions :: server/phrases :: what is wrong has the name of its field: %#
A text goes back 256 times at most :: server/phrases :: a text that goes back too often ends before the phrase
Tokens that were taken back are no tokens of ~usage~ :: server/phrases :: a text that goes back too often ends before the phrase
the last token of a completion's prompt is taken back :: server/completions :: a prompt that ends inside a word is healed, alone and beside others, and the token counts as one of the text
In ~usage~ the token that was taken back is one of the text :: server/completions :: a prompt that ends inside a word is healed, alone and beside others, and the token counts as one of the text
Conversations have no such field :: server/completions :: a prompt that ends inside a word is healed, alone and beside others, and the token counts as one of the text
warns if other machines reach it without ~--api-keys FILE~ :: server/command :: --check ends with 0, and a server without keys that others reach is warned of
~sha256:HASH~ in place of the secret works too :: server/keys :: has names and limits; secrets and their sha256 are the same
Limits are what the key may have at once :: server/queue :: texts and tokens at once of a lane, also of one request
a key that has used them gets a 429 until they have come back :: server/quotas :: has its tokens at once, and they come back in a minute
Its answers have OpenAI's headers :: server/quotas :: tells what is left, and refuses what is not
The file is read again when it changes :: server/keys :: is read again; a broken one keeps the keys and says so once
and is tried again :: server/descriptors :: a lack of descriptors is over when it is over
A key comes in the header ~authorization: Bearer KEY~, or in ~x-api-key~ :: server/apis/requests :: come in either header, and refusals have the form of the path
Paths of [other APIs](apis.md) have their own form :: server/apis/requests :: the forms of errors
Keys are needed for all paths but ~/health~, ~/ready~, ~/openapi.json~ and the page :: server/http :: are asked for by the paths that need one, and by no others
What is shared has turns and limits by *lane* :: server/lanes :: are of the key, else of the network of the address
the client is the last address of ~X-Forwarded-For~ or ~Forwarded~ that is no such proxy's :: server/lanes :: %s with %j and %j is %s
It is in the same header of the answer, in ~request_id~ of errors, and in the log :: server/requestIds :: is the client's own, in answers, streams, errors and the log
~--check~ does all that a start does but listen :: server/command :: --check ends with 0, and a server without keys that others reach is warned of
The log has one JSON line a request on standard output :: server/log :: one line a request, without its prompt
other texts of clients are cut after 256 characters :: server/log :: texts of a client are cut, and how long they were is told
lines beyond that are dropped, and a line says how many :: server/log :: a reader that stalls holds little memory, and is told what it missed
~--log off~ writes none :: server/log :: none where it is off
On SIGTERM and SIGINT the server is no longer ready :: server/command :: two servers on one port, and the end of one
On SIGTERM and SIGINT the server :: server/command :: SIGINT ends it as SIGTERM does
what waits is refused, and running texts are written to their end :: server/lifecycle :: running texts are written to their end, what waits is refused, and nothing is taken
a port that is taken end the start with the status 1 and the reason :: server/command :: two servers on one port, and the end of one
~--files FOLDER~ serves static files at ~/~ :: server/http :: have their types and may be kept while they are the same
under any names but those that begin with a dot :: server/http :: of any names are served, but those that begin with a dot
A server that listens at a loopback address answers to names of this machine alone :: server/hosts :: %j is refused
At other addresses names are looked at only if ~--allow-host~ gives some :: server/hosts :: at other addresses every name is taken, unless names are given
~--cors ORIGIN...~ lets pages of other origins read answers in browsers :: server/cors :: answers, streams and refusals can be read, and their headers
Without it a browser shows answers to pages of the server itself alone :: server/cors :: other origins, and a server without the option, get nothing
which is started when a request names it :: server/front :: are loaded when they are asked for, and the one used least recently makes place
~/v1/models~ lists all, with their ~state~ :: server/front :: their names, and those with a sampler, are listed and chosen
makes place for another when it answers nothing :: server/front :: a model that answers is not unloaded, and who waits for another has the next one that is idle
The front has the limits of clients :: server/front :: keys, bodies, names of hosts and pages of other origins
listen at 127.0.0.1 for it alone :: server/front :: a process takes no requests but the front's
and have the limits of the key of each request :: server/front :: keys, bodies, names of hosts and pages of other origins
They write its line of the log :: server/front :: each request has one line of the log, with the client's address
and a process that ends, are a 503 with ~retry-after~ :: server/front :: is a 503 with the reason, and is started again after a while
The bytes of a body reach the process as they came :: server/passedBodies :: reaches the process as it came: digits, escapes, blanks, and its type
are lists of all models, and load none :: server/front :: are in the lists of Ollama's and Anthropic's clients, and none is loaded for them
take the name as ~?model=NAME~ :: server/front :: all paths of a server with one model are answered, with ~?model=~ where there is no body
~--check~ loads each model once :: server/front :: --check loads each model, and says what is wrong with one
The server asks proxies by the header ~x-accel-buffering~ :: server/events :: the headers keep proxies from collecting events, and the last event says that it is
Any replica takes any request :: fleet/fleet :: both replicas write, and either knows a sampler by the id that one of them gave
A replica that ends with SIGTERM answers 503 to what has not begun :: fleet/fleet :: by SIGTERM writes what has begun; the other one writes the rest
If it is killed, the requests that it had get a 502 or break off :: fleet/fleet :: by SIGKILL breaks off what it had; the other one writes the rest
~/metrics~ has these numbers in Prometheus's text form :: server/metrics :: docs/server.md lists each metric with its labels
A dashboard of all of them :: server/metrics :: uses only metrics and labels that exist, and each metric
They hold for all paths, before anything reads the request :: server/requests :: the largest body is looked through in a small part of the time that reading it takes at most
A request has 10 s for its headers, 10 s from one byte of its body to the next :: server/openLimits :: s for headers, and between two bytes of a body
idle ones are closed, and new ones are a 503 :: server/openLimits :: together are limited, and idle ones make room
those of a proxy that is trusted count only together :: server/openLimits :: of an address beyond the limit are refused, those of others and of proxies are not
of the lane with the most, the largest body that is still coming is a 503 :: server/openLimits :: are given back, and the greatest lane gives way first
more are closed at once :: server/openLimits :: beyond a few that are refused are closed at once
A connection that was kept open and has no request is closed after 72 s :: server/http :: a connection that is kept open has its time
also what is no request at all, has OpenAI's form :: server/requests :: no HTTP
A stream that has begun ends with an event of that form :: server/lifecycle :: texts that take too long end with an error
~/v1/models~ lists these names, after those that ~--alias~ gives the model :: server/models :: lists the names of the model, and those with samplers
has its name beside the reason, in each API :: server/apis/parts :: a stop of the chain has its name beside the reason
~stops~ of what ~POST /v1/samplers~ answers :: server/samplers :: a program: its chain, parameters, inputs and measures
A sampler with errors is a 400 with the line and column of the first one :: server/samplers :: errors of a program have codes, places and help, in OpenAI's form
a sampler that costs more is refused before it runs :: server/hostile :: refuses a sampler that costs more than --limit allows
If the chain has none, the request is refused :: server/requests :: is refused, and not ignored in silence
~--lenient~ ignores them, also what is refused of a field that is done in part, and any name of a model :: server/neutral :: ignores what is known and not done, and names it
where ~ggsl import~ knows a name that the server has not, the message has the sampler that says the same :: server/textFields :: is refused with the sampler that says the same, if ~ggsl import~ knows it
A field that nothing knows and that is empty or ~false~ is ignored :: server/textFields :: is ignored and named if it is empty or false
so that requests with other numbers share one chain :: server/samplerFields :: requests with other numbers share one, and other stages make another
its text is that of ~ggsl import --from llama.cpp~ with the same settings and seed :: server/samplerFields :: random subsets of llama-server's fields, in random order
ask for nothing if the stage is off :: server/samplerFields :: what asks for nothing is in no conflict
A field that has no effect beside the others :: server/samplerFields :: what has no effect beside the others is named
such a field sets the uniform of its name :: server/samplerFields :: a uniform of that name is set
A request asks for one grammar :: server/textFields :: what is wrong has the name of its field
with tools, the text is of that form, or calls of tools :: server/textFields :: with tools, the text is of that form, or calls: %s: %j
A value that asks for nothing, as clients send with every request, is taken, and is in no conflict with a chain :: server/neutral :: all at once are the same as none
a program can import the samplers of that [package](libraries.md#in-a-server); other imports are only those of the standard library :: server/libraries :: a program of a request imports a library, and what is in it
gives every text stages of the operator's, which requests cannot undo: bans, a grammar, a watermark :: server/policies :: describe("tokens that are banned"
`);

export const APIS = claims(String.raw`
What is refused is told in the form of the API and names the client's own field :: server/apis/requests :: is refused by the name
~--lenient~ ignores it, and names it in the header ~x-ggsl-ignored~ :: server/apis/requests :: takes %j %j and names what it ignores
All of them take the [fields of this server] :: server/apis/requests :: fields of this server, also in Ollama's options, have their meaning
is one message of the conversation :: server/apis/translate :: items of one turn are one message, and so are those of the system at the beginning
~previous_response_id~ and ~conversation~ are a 400 :: server/apis/requests :: is refused by the name
where ~reasoning.summary~ asks for a summary, they are that :: server/apis/parts :: with a summary asked for, thoughts are it
A stream has all events of texts, thoughts and calls with their places, numbered from 0 :: server/apis/parts :: items of thoughts, texts and calls, whole and by the client's stream
or with ~error~ and ~response.failed~ :: server/apis/parts :: a failure ends the stream with an error and a failed response
both are the reason ~max_output_tokens~ :: server/apis/parts :: the last item of a text that a limit cuts is not complete
The key is in ~x-api-key~ or in ~authorization~ :: server/apis/requests :: come in either header, and refusals have the form of the path
Results of tools are messages of the role ~tool~, in the order in which they come :: server/apis/translate :: results of tools are messages in their order, thoughts are the template's
those of a history reach the template as ~reasoning_content~ :: server/apis/translate :: results of tools are messages in their order, thoughts are the template's
or ~stop_sequence~, with the text that ended it :: server/apis/parts :: why a text ended
it is ~end_turn~, and ~stopped_by~ has its name :: server/apis/parts :: a stop of the chain has its name beside the reason
A last message of the assistant [goes on](server.md#answers-that-have-begun): the answer :: server/clients/anthropic :: an answer that has begun
In ~/api/chat~ a last message of the assistant [goes on] :: server/clients/ollama :: an answer that has begun
~message_delta~ has the final numbers :: server/apis/parts :: blocks of thoughts, texts and calls, whole and by the client's stream
Entries of ~/v1/models~ have the members of Anthropic's form :: server/clients/anthropic :: models
renders the conversation with its tools, and takes no place :: server/clients/anthropic :: a conversation, and its tokens
Calls are whole in one line, with all digits of their arguments :: server/apis/parts :: thoughts, texts and whole calls, as one object and as lines
A stream is what a client gets that does not say ~"stream": false~ :: server/apis/requests :: streams, ids in the log's facts, and metrics
with ~raw~ it goes on with the text :: server/clients/ollama :: a prompt with the template, and without
have no effect; ~x-ggsl-ignored~ names them :: server/clients/ollama :: options
~:latest~ after a name is left out :: server/clients/ollama :: a prompt with the template, and without
these paths are a 404 in Ollama's form :: server/clients/ollama :: an error
Durations are in nanoseconds :: server/clients/ollama :: a conversation, and the same as lines
`);

export const SECURITY = claims(String.raw`
so that any worker runs it :: server/threads :: the thread of the sources compiles as well
A source that takes more ends its thread and no other request :: server/threads :: one that takes too long is replaced, and others are not harmed
take turns, 128 can wait, 32 of one lane :: server/threads :: a lane has a quarter of those that wait
the same text is compiled once for all that ask for it :: server/samplers :: one compilation for requests of the same text at once, and none for later ones
256 samplers are kept, those used last :: server/samplers :: what was used last; those of the server are pinned
costly ones take turns, and hold up no others :: e2e/budget :: has texts that need no more than a fair share in every decode
if the queue is full, the last request of the lane with the most is refused :: server/queue :: the last of the longest lane is refused, so that others find room
are limited by address, by lane and together, and a request that comes too slowly is a 408 :: server/openLimits :: of many slow bodies stay within the limits, and an honest client is served
compared in constant time :: server/keys :: each key is found after a comparison with all of them
API keys are kept as sha256 only :: server/keys :: the secrets are not in memory that can be printed
are at most 4096 of a text, of 65536 bytes together :: generation/phraseFinder :: %s is refused
lets a text go back 256 times at most :: server/phrases :: a text that goes back too often ends before the phrase
~ggsl serve~ warns of it :: server/command :: a flag under which a thread ends the process is warned of
the other threads go on :: native/workers :: a worker that ends while it uses the addon leaves the other threads alone
at most ~deviceBytes~ and ~hostBytes~ :: limits/limits :: deviceBytes: { text: costly
~loadModel(path, { probe: true })~ :: model/damaged :: a model that makes llama.cpp end its process ends only the child
imports are regular files below the folder of the file that is compiled :: e2e/files :: refuses to import %s
only the file that their package.json names and files of the same package that it imports, links resolved :: e2e/libraries :: import %s
Programs of requests import only those of ~--library~, and see no path of the server :: server/libraries :: a program of a request imports a library, and what is in it
the language server stays below the workspace :: e2e/files :: the language server refuses the same imports below the folder of the workspace
in lanes that take turns :: grammars/threads :: a lane has a number of grammars that wait, and the others have room
in turns of their lanes; the thread that asks goes on :: grammars/threads :: texts whose tokens take many steps keep neither this thread nor other lanes waiting
What is no worker is found by a handshake before ggml connects :: rpc/faults :: what is no worker: silence, garbage, another version, no device, nothing
a model on workers is in a process of its own, which a bad answer ends :: rpc/faults :: a worker that answers the handshake and then garbage ends only the process of the model
listens at the loopback address and warns at any other :: rpc/faults :: the command warns at an address that others reach, refuses one that is taken, and ends by Ctrl-C
are asked in a child process first :: devices/probe :: a driver that crashes is reported
are printed as escapes :: limits/sizes :: control characters are printed as escapes
so that a short text does not wait for a long one :: tokenize/tokenize :: a short text does not wait for a long one, and too many bytes for the tokens are refused
the one comes first whose lane has had least of it :: tokenize/lanes :: eight lanes with many large texts hold up the texts of another lane for one of theirs
Who aborts waits no more :: tokenize/lanes :: who leaves waits no more: the thread goes on with others at once
texts of a lane wait, and 1024 of all (~BUSY~) :: tokenize/lanes :: a lane has at most so many that wait, all lanes together too, and others have room
The tokens are those of llama.cpp :: tokenize/tokenize :: short texts have llama.cpp's tokens: %s
[Connections and bytes of bodies](server.md#limits-of-a-request) are limited by address :: server/manyBodies :: they take the memory of the limits, and others are answered
`);
