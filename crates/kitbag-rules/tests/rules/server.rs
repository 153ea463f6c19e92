//! An HTTP server on the loopback interface with scripted answers, which records its requests.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The reaction to a request.
#[derive(Clone)]
pub enum Answer {
    /// Status, headers and body.
    Reply(u16, Vec<(&'static str, String)>, String),
    /// No answer; the connection is closed after this time.
    Silence(Duration),
    /// An incomplete answer; the connection is closed after this time.
    Stall(Duration),
    /// Bytes that are not HTTP.
    Garbage,
}

/// A recorded request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the conditions of the question.
    pub fn conditions(&self) -> Vec<String> {
        let content = match self.body["messages"].as_array().and_then(|it| it.last()) {
            Some(message) => message["content"].as_str().unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let question: Value = serde_json::from_str(&content).unwrap();
        let conditions = question["conditions"].as_array().unwrap();
        conditions.iter().map(|it| it["condition"].as_str().unwrap().to_owned()).collect()
    }
}

pub struct Server {
    pub address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Starts a server that gives the answers in order, and then repeats the last one.
    pub fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (answers, seen) = (answers.clone(), Arc::clone(&seen));
                thread::spawn(move || serve(stream, &answers, &seen));
            }
        });
        Self { address, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, answers: &[Answer], seen: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(asked) = read(&mut reader) {
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(asked);
            seen.len() - 1
        };
        match &answers[number.min(answers.len() - 1)] {
            Answer::Reply(status, headers, body) => {
                let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                let _ = write!(stream, "{head}\r\n{body}");
            }
            Answer::Silence(time) => return thread::sleep(*time),
            Answer::Stall(time) => {
                let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{{");
                let _ = stream.flush();
                return thread::sleep(*time);
            }
            Answer::Garbage => {
                let _ = stream.write_all(b"\0\0not http\r\n\r\n");
                return;
            }
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|it| it.0 == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { path, headers, body: serde_json::from_slice(&body).ok()? })
}

/// Returns an answer object with verdicts in order.
pub fn verdicts(words: &[&str]) -> Value {
    let each: Vec<Value> = words
        .iter()
        .enumerate()
        .map(|(number, word)| json!({"id": number + 1, "verdict": word}))
        .collect();
    json!({"verdicts": each})
}

/// Returns an answer in OpenAI's protocol.
pub fn openai(content: &str) -> Answer {
    let body = json!({"choices": [{
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content},
    }]});
    Answer::Reply(200, Vec::new(), body.to_string())
}

/// Returns an answer in Anthropic's protocol.
pub fn anthropic(input: Value) -> Answer {
    let body = json!({
        "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "Here."},
            {"type": "tool_use", "id": "t", "name": "verdicts", "input": input},
        ],
    });
    Answer::Reply(200, Vec::new(), body.to_string())
}
