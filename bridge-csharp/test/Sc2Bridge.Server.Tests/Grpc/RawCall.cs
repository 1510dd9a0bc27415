using System.Buffers.Binary;
using System.Globalization;
using System.Net.Http.Headers;
using Grpc.Core;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>The result of a call with bytes that no gRPC library would send.</summary>
/// <param name="StatusCode">The status.</param>
/// <param name="Detail">Its message, as encoded in the header.</param>
/// <param name="IsInHeaders">Whether the status is in the headers, before any message.</param>
/// <param name="BodyLength">The size of all messages with their prefixes.</param>
/// <param name="AcceptEncoding">The compressions that the server accepts.</param>
internal sealed record RawCall(
    StatusCode StatusCode, string Detail, bool IsInHeaders, int BodyLength, string AcceptEncoding)
{
    /// <summary>Makes a call over plain HTTP/2.</summary>
    public static async Task<RawCall> SendAsync(
        ServedMatch match, string method, byte[] sent, params (string Name, string Value)[] headers)
    {
        using var http = new HttpClient();
        using var request = Request(match, method, sent, headers);
        using var response = await http.SendAsync(request, Ct);
        var body = await response.Content.ReadAsByteArrayAsync(Ct);
        var isInHeaders = response.Headers.Contains("grpc-status");
        var said = isInHeaders ? response.Headers : response.TrailingHeaders;
        return new RawCall(
            (StatusCode)int.Parse(First(said, "grpc-status"), CultureInfo.InvariantCulture),
            Uri.UnescapeDataString(First(said, "grpc-message")),
            isInHeaders,
            body.Length,
            First(response.Headers, "grpc-accept-encoding"));
    }

    /// <summary>A call's request.</summary>
    public static HttpRequestMessage Request(
        ServedMatch match, string method, byte[] sent, params (string Name, string Value)[] headers)
    {
        var request = new HttpRequestMessage(
            HttpMethod.Post, new Uri($"http://{match.Address}/sc2bridge.v1.BridgeService/{method}"))
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(sent),
        };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        request.Headers.TE.Add(new TransferCodingWithQualityHeaderValue("trailers"));
        foreach (var (name, value) in headers)
        {
            request.Headers.Add(name, value);
        }

        return request;
    }

    /// <summary>A message with gRPC's prefix.</summary>
    public static byte[] Framed(IMessage message) => Framed(message.ToByteArray());

    /// <summary>Bytes with gRPC's prefix.</summary>
    public static byte[] Framed(byte[] message, bool compressed = false)
    {
        var framed = new byte[5 + message.Length];
        framed[0] = compressed ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteInt32BigEndian(framed.AsSpan(1), message.Length);
        message.CopyTo(framed, 5);
        return framed;
    }

    private static string First(HttpResponseHeaders headers, string name) =>
        headers.TryGetValues(name, out var values) ? values.First() : "";
}
