using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Sc2Bridge.Broker.Tests;

/// <summary>A store with the answers that a test sets. s3rver cannot give such answers.</summary>
internal sealed class StandInStore : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Func<string, string?> _answer;

    /// <param name="answer">Gets <c>METHOD /BUCKET/KEY</c>. Returns the answer; null: never answers; empty: closes the connection.</param>
    internal StandInStore(Func<string, string?> answer)
    {
        _answer = answer;
        _listener.Start();
        _ = ListenAsync();
    }

    /// <summary>The pause before it reads each 4 MiB.</summary>
    internal TimeSpan Pause { get; init; }

    internal string Url => $"http://{_listener.LocalEndpoint}";

    /// <summary>An HTTP answer. It is cut off if the announced body is longer than <paramref name="body"/>.</summary>
    internal static string Answer(int status, string body = "", int missing = 0) =>
        $"HTTP/1.1 {status} as asked\r\nConnection: close\r\nContent-Length: {body.Length + missing}\r\n\r\n{body}";

    /// <summary>An error of S3.</summary>
    internal static string Error(int status, string code) => Answer(status, $"<Error><Code>{code}</Code></Error>");

    public void Dispose() => _listener.Dispose();

    private async Task ListenAsync()
    {
        try
        {
            while (true)
            {
                _ = AnswerAsync(await _listener.AcceptTcpClientAsync());
            }
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task AnswerAsync(TcpClient client)
    {
        using var caller = client;
        try
        {
            await using var stream = caller.GetStream();
            using var text = new StreamReader(stream, Encoding.Latin1);
            var request = (await text.ReadLineAsync() ?? "").Split(' ', '?');
            var length = 0;
            while (await text.ReadLineAsync() is { Length: > 0 } header)
            {
                if (header.StartsWith("Content-Length: ", StringComparison.OrdinalIgnoreCase))
                {
                    length = int.Parse(header.AsSpan("Content-Length: ".Length), System.Globalization.CultureInfo.InvariantCulture);
                }
                else if (header.StartsWith("Expect: ", StringComparison.OrdinalIgnoreCase))
                {
                    await stream.WriteAsync("HTTP/1.1 100 Continue\r\n\r\n"u8.ToArray());
                }
            }

            var part = new char[1 << 22];
            while (length > 0)
            {
                await Task.Delay(Pause);
                length -= await text.ReadBlockAsync(part.AsMemory(0, Math.Min(length, part.Length)));
            }

            if (request.Length > 1 && _answer($"{request[0]} {request[1]}") is { } answer)
            {
                await stream.WriteAsync(Encoding.Latin1.GetBytes(answer));
            }
            else
            {
                // Waits until the caller gives up.
                await text.ReadToEndAsync();
            }
        }
        catch (IOException)
        {
            // The caller gave up.
        }
    }
}
