using System.Diagnostics;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;

namespace Sc2Bridge.Broker.Tests;

/// <summary>
/// A bucket in npm's s3rver, a store with the S3 protocol, in a folder of its own. If <c>SC2BRIDGE_S3</c> has the URL of another
/// store, that store is used, with the environment's user: s3rver 3.7 ignores If-None-Match and signatures, and its lists have
/// only one page.
/// </summary>
public sealed class TestBucket : IAsyncLifetime
{
    // The only user of s3rver.
    private const string Own = "S3RVER";
    private const string Script = "s3rver/bin/s3rver.js";
    private const string Said = "S3rver listening on ";

    private static readonly string? _named = Environment.GetEnvironmentVariable("SC2BRIDGE_S3");

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("sc2bridge-bucket-");
    private readonly AWSCredentials _credentials = _named is null
        ? new BasicAWSCredentials(Own, Own)
        : new EnvironmentVariablesAWSCredentials();

    private Process? _server;

    internal string Url { get; private set; } = _named ?? "";

    internal string Name { get; } = $"sc2bridge-{Guid.NewGuid():N}";

    internal AWSCredentials Credentials => _credentials;

    /// <summary>The environment variables for a program that uses the bucket.</summary>
    internal (string Name, string Value)[] EnvironmentVariables
    {
        get
        {
            var keys = _credentials.GetCredentials();
            return [("AWS_ENDPOINT_URL_S3", Url), ("AWS_ACCESS_KEY_ID", keys.AccessKey), ("AWS_SECRET_ACCESS_KEY", keys.SecretKey)];
        }
    }

    /// <summary>A client for the test itself.</summary>
    internal AmazonS3Client Client() =>
        new(_credentials, new AmazonS3Config { ServiceURL = Url, ForcePathStyle = true, AuthenticationRegion = "us-east-1" });

    internal void Require() =>
        Assert.SkipUnless(Url.Length > 0, "needs Node and its package s3rver: tools/set-up --test installs them");

    internal void RequireAnother()
    {
        Require();
        Assert.SkipWhen(_named is null, "s3rver cannot do that: SC2BRIDGE_S3 may name the URL of a store that can");
    }

    /// <summary>The stored objects by key.</summary>
    internal async Task<Dictionary<string, byte[]>> ObjectsAsync(string prefix)
    {
        using var client = Client();
        var found = new Dictionary<string, byte[]>();
        foreach (var key in (await client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = Name, Prefix = prefix })).S3Objects ?? [])
        {
            using var answer = await client.GetObjectAsync(Name, key.Key);
            using var bytes = new MemoryStream();
            await answer.ResponseStream.CopyToAsync(bytes);
            found[key.Key] = bytes.ToArray();
        }

        return found;
    }

    public async ValueTask InitializeAsync()
    {
        var script = Path.Combine(PeerEnvironment.RepositoryRoot, "tools", "peers", "node_modules", Script);
        if (_named is null && File.Exists(script))
        {
            Url = await StartAsync(script);
        }

        if (Url.Length > 0)
        {
            using var client = Client();
            await client.PutBucketAsync(Name);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            _server.Kill();
            await _server.WaitForExitAsync();
            _server.Dispose();
        }

        _folder.Delete(recursive: true);
    }

    private async Task<string> StartAsync(string script)
    {
        var start = new ProcessStartInfo(
            "node", [script, "--directory", _folder.FullName, "--address", "127.0.0.1", "--port", "0", "--silent"])
        {
            RedirectStandardOutput = true,
        };
        try
        {
            _server = Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            // Node is not installed.
            return "";
        }

        while (await _server.StandardOutput.ReadLineAsync() is { } line)
        {
            if (line.StartsWith(Said, StringComparison.Ordinal))
            {
                return $"http://{line[Said.Length..]}";
            }
        }

        return "";
    }
}
