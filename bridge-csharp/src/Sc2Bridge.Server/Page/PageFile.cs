using System.IO.Compression;
using System.Reflection;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.StaticFiles;
using Microsoft.Net.Http.Headers;

namespace Sc2Bridge.Server;

/// <summary>A file of the live page, uncompressed, and as gzip if that is smaller.</summary>
internal sealed class PageFile
{
    private static readonly FileExtensionContentTypeProvider _types = new();

    private readonly string _type;
    private readonly byte[] _plain;
    private readonly byte[]? _gzip;
    private readonly string _hash;

    /// <param name="name">The path below the page's address, with <c>/</c>.</param>
    /// <param name="content">The content.</param>
    public PageFile(string name, byte[] content)
    {
        Name = name;
        _type = _types.TryGetContentType(name, out var type)
            ? type.StartsWith("text/", StringComparison.Ordinal) ? $"{type}; charset=utf-8" : type
            : "application/octet-stream";
        _plain = content;
        var gzip = Compress(content);
        _gzip = gzip.Length < content.Length ? gzip : null;
        _hash = Convert.ToHexStringLower(SHA256.HashData(content).AsSpan(0, 16));
    }

    /// <summary>The path below the page's address.</summary>
    public string Name { get; }

    /// <summary>
    /// The page that was built into this program, or a page that explains how to build it. The build includes
    /// <c>agent-js/page/dist</c> if it exists.
    /// </summary>
    public static IReadOnlyList<PageFile> LoadBuilt()
    {
        const string folder = "page/";
        var program = typeof(PageFile).Assembly;
        var names = program.GetManifestResourceNames().Where(name => name.StartsWith(folder, StringComparison.Ordinal)).ToList();
        return names.Count == 0
            ? [new PageFile("index.html", Read(program, "page-not-built.html"))]
            : [.. names.Select(name => new PageFile(name[folder.Length..].Replace('\\', '/'), Read(program, name)))];
    }

    /// <summary>Answers a GET or HEAD request with the file, or with 304 if the client already has it.</summary>
    public Task WriteAsync(HttpContext http)
    {
        var headers = http.Response.Headers;
        headers.Vary = HeaderNames.AcceptEncoding;
        var usesGzip = _gzip is not null && http.Request.GetTypedHeaders().AcceptEncoding
            .Any(encoding => encoding.Value.Equals("gzip", StringComparison.OrdinalIgnoreCase) && encoding.Quality != 0);
        if (usesGzip)
        {
            headers.ContentEncoding = "gzip";
        }

        return TypedResults.Bytes(
            usesGzip ? _gzip! : _plain, _type, entityTag: new EntityTagHeaderValue($"\"{_hash}{(usesGzip ? "-gzip" : "")}\"")).ExecuteAsync(http);
    }

    private static byte[] Read(Assembly program, string name)
    {
        using var content = program.GetManifestResourceStream(name)!;
        var bytes = new byte[content.Length];
        content.ReadExactly(bytes);
        return bytes;
    }

    private static byte[] Compress(byte[] content)
    {
        using var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.SmallestSize))
        {
            gzip.Write(content);
        }

        return compressed.ToArray();
    }
}
