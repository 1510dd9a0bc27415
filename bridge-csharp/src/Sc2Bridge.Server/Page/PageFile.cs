using System.IO.Compression;
using System.Reflection;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.StaticFiles;
using Microsoft.Net.Http.Headers;

namespace Sc2Bridge.Server;

/// <summary>A file of the live page, as it is and, where that is smaller, as gzip.</summary>
internal sealed class PageFile
{
    private static readonly FileExtensionContentTypeProvider _types = new();

    private readonly string _type;
    private readonly byte[] _plain;
    private readonly byte[]? _gzip;
    private readonly string _hash;

    /// <param name="name">Its path below the page's address, with <c>/</c>.</param>
    /// <param name="content">What it holds.</param>
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

    /// <summary>Its path below the page's address.</summary>
    public string Name { get; }

    /// <summary>
    /// The page that was built into this program, or one that says how to get it: the build takes <c>agent-js/page/dist</c>
    /// where Node has made it.
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

    /// <summary>Answers a GET or a HEAD with it, or with 304 where the client has it.</summary>
    public Task WriteAsync(HttpContext http)
    {
        var headers = http.Response.Headers;
        headers.Vary = HeaderNames.AcceptEncoding;
        var gzips = _gzip is not null && http.Request.GetTypedHeaders().AcceptEncoding
            .Any(one => one.Value.Equals("gzip", StringComparison.OrdinalIgnoreCase) && one.Quality != 0);
        if (gzips)
        {
            headers.ContentEncoding = "gzip";
        }

        return TypedResults.Bytes(
            gzips ? _gzip! : _plain, _type, entityTag: new EntityTagHeaderValue($"\"{_hash}{(gzips ? "-gzip" : "")}\"")).ExecuteAsync(http);
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
