using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.RegularExpressions;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// A folder of a bucket in an S3-compatible store. The environment names the user and the URL, as it does for Amazon's
/// tools. Whatever the store refuses is a <see cref="ResultStoreException"/>.
/// </summary>
internal sealed partial class Bucket : IDisposable
{
    /// <summary>What an address begins with.</summary>
    internal const string Scheme = "s3://";

    private const int MostTries = 5;

    // A file has at most 10,000 parts.
    private const int MostParts = 9_000;

    private static readonly TimeSpan _longestConnect = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan _pauseOfTries = TimeSpan.FromMilliseconds(200);

    // A page of 1000 names, for which some stores look through many more.
    private static readonly TimeSpan _longestList = TimeSpan.FromMinutes(1);

    private readonly string _bucket;
    private readonly string _prefix;
    private readonly string? _endpoint;
    private readonly Lazy<AmazonS3Client> _client;

    /// <summary>Reads an address.</summary>
    /// <param name="where"><c>s3://BUCKET/PREFIX</c>.</param>
    /// <param name="endpoint">The store's URL; null: as the environment has it.</param>
    /// <param name="credentials">Who connects; null: as the environment has it.</param>
    /// <exception cref="ResultStoreException">The address names no bucket.</exception>
    internal Bucket(string where, string? endpoint, AWSCredentials? credentials)
    {
        var parts = where[Scheme.Length..].Split('/', 2);
        if (!BucketName().IsMatch(parts[0]))
        {
            // Not repeated: somebody may have written a key into it.
            throw new ResultStoreException("that is no bucket: write s3://BUCKET or s3://BUCKET/PREFIX, and keys into the environment");
        }

        _bucket = parts[0];
        _prefix = parts.Length > 1 && parts[1].Trim('/') is { Length: > 0 } prefix ? $"{prefix}/" : "";
        _endpoint = endpoint ?? Variable("AWS_ENDPOINT_URL_S3") ?? Variable("AWS_ENDPOINT_URL");
        _client = new Lazy<AmazonS3Client>(() => Connect(credentials));
    }

    /// <summary>How long a request may take, with its repetitions.</summary>
    internal TimeSpan LongestRequest { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the store may take none of a file's bytes. The whole file may take longer.</summary>
    internal TimeSpan LongestSilence { get; set; } = TimeSpan.FromMinutes(4);

    /// <summary>Bytes of a file that go up in one request: a larger one goes up in parts, as stores take 5 GB at once.</summary>
    internal long PartBytes { get; set; } = 64 << 20;

    /// <summary>The address, with the endpoint's host and port; its user and password, if it names them, are left out.</summary>
    public override string ToString() => NameOf("").TrimEnd('/')
        + (Uri.TryCreate(_endpoint, UriKind.Absolute, out var at) ? $" at {at.Host}:{at.Port}" : "");

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_client.IsValueCreated)
        {
            _client.Value.Dispose();
        }
    }

    /// <summary>The address of an object.</summary>
    internal string NameOf(string key) => $"{Scheme}{_bucket}/{_prefix}{key}";

    /// <summary>Finds whether objects can be listed.</summary>
    internal Task OpenAsync(CancellationToken ct) => AskAsync(LongestRequest, (client, end) => client.ListObjectsV2Async(
        new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix, MaxKeys = 1 }, end), ct);

    /// <summary>Whether there is an object.</summary>
    internal async Task<bool> HasAsync(string key, CancellationToken ct)
    {
        try
        {
            await AskAsync(LongestRequest, (client, end) => client.GetObjectMetadataAsync(_bucket, _prefix + key, end), ct);
            return true;
        }
        catch (ResultStoreException none) when (Status(none) == HttpStatusCode.NotFound)
        {
            return false;
        }
    }

    /// <summary>A text; null if there is no such object.</summary>
    internal async Task<string?> ReadAsync(string key, CancellationToken ct)
    {
        try
        {
            return await AskAsync(
                LongestRequest,
                async (client, end) =>
                {
                    using var answer = await client.GetObjectAsync(_bucket, _prefix + key, end);
                    using var text = new StreamReader(answer.ResponseStream, Encoding.UTF8);
                    return await text.ReadToEndAsync(end);
                },
                ct);
        }
        catch (ResultStoreException none) when (none.InnerException is AmazonS3Exception { ErrorCode: "NoSuchKey" })
        {
            return null;
        }
    }

    /// <summary>The keys that begin with something.</summary>
    internal async IAsyncEnumerable<string> KeysAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        var request = new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix + prefix };
        do
        {
            var page = await AskAsync(_longestList, (client, end) => client.ListObjectsV2Async(request, end), ct);
            foreach (var found in page.S3Objects ?? [])
            {
                yield return found.Key[_prefix.Length..];
            }

            request.ContinuationToken = page.NextContinuationToken;
        }
        while (request.ContinuationToken is not null);
    }

    /// <summary>Puts a text, unless there is an object of that name.</summary>
    internal async Task PutOnceAsync(string key, string text, string type, CancellationToken ct)
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                // The library closes what it sent: each time a request of its own.
                var put = new PutObjectRequest
                {
                    BucketName = _bucket,
                    Key = _prefix + key,
                    ContentBody = text,
                    ContentType = type,
                    IfNoneMatch = "*",
                    UseChunkEncoding = false,
                };
                await AskAsync(LongestRequest, (client, end) => client.PutObjectAsync(put, end), ct);
                return;
            }
            catch (ResultStoreException refused) when (Status(refused) == HttpStatusCode.PreconditionFailed)
            {
                // Somebody else was quicker, or this was taken, the answer lost and asked for again.
                return;
            }
            catch (ResultStoreException refused) when (Status(refused) == HttpStatusCode.Conflict && tries < MostTries)
            {
                // Another request for the same name is not through yet: it is open which was first.
                await Task.Delay(_pauseOfTries, ct);
            }
        }
    }

    /// <summary>
    /// Puts a file, in parts if it is large. Its bytes go up as they are, not in Amazon's own framing: some other stores keep
    /// the framing in the object.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read, or is too large.</exception>
    internal async Task PutFileAsync(string key, string file, CancellationToken ct)
    {
        // Opened here: that a file cannot be read is not the store's fault.
        await using var content = File.OpenRead(file);
        var name = _prefix + key;

        // Not disposed: the library reports progress on a thread of its own, perhaps after the end.
        var silence = new CancellationTokenSource(LongestSilence);
        if (content.Length <= PartBytes)
        {
            var put = new PutObjectRequest
            {
                BucketName = _bucket,
                Key = name,
                InputStream = content,
                AutoCloseStream = false,
                UseChunkEncoding = false,
            };
            put.StreamTransferProgress += GoesOn;
            await SendAsync((client, end) => client.PutObjectAsync(put, end));
            return;
        }

        var upload = await SendAsync((client, end) => client.InitiateMultipartUploadAsync(_bucket, name, end));
        var whole = new CompleteMultipartUploadRequest { BucketName = _bucket, Key = name, UploadId = upload.UploadId, PartETags = [] };
        try
        {
            var most = Math.Max(PartBytes, (content.Length / MostParts) + 1);
            for (var at = 0L; at < content.Length; at += most)
            {
                var part = new UploadPartRequest
                {
                    BucketName = _bucket,
                    Key = name,
                    UploadId = upload.UploadId,
                    PartNumber = whole.PartETags.Count + 1,
                    FilePath = file,
                    FilePosition = at,
                    PartSize = Math.Min(most, content.Length - at),
                    UseChunkEncoding = false,
                };
                part.StreamTransferProgress += GoesOn;
                var taken = await SendAsync((client, end) => client.UploadPartAsync(part, end));
                whole.PartETags.Add(new PartETag { PartNumber = part.PartNumber, ETag = taken.ETag });
            }

            await SendAsync((client, end) => client.CompleteMultipartUploadAsync(whole, end));
        }
        catch
        {
            await AbortAsync(name, upload.UploadId);
            throw;
        }

        void GoesOn(object? sender, StreamTransferProgressArgs progress) => silence.CancelAfter(LongestSilence);

        Task<T> SendAsync<T>(Func<AmazonS3Client, CancellationToken, Task<T>> send)
        {
            silence.CancelAfter(LongestSilence);
            return AskAsync(Timeout.InfiniteTimeSpan, send, ct, silence.Token);
        }
    }

    /// <summary>Deletes an object.</summary>
    internal Task DeleteAsync(string key, CancellationToken ct) =>
        AskAsync(LongestRequest, (client, end) => client.DeleteObjectAsync(_bucket, _prefix + key, end), ct);

    private static HttpStatusCode? Status(ResultStoreException refused) => (refused.InnerException as AmazonS3Exception)?.StatusCode;

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;

    private async Task AbortAsync(string name, string upload)
    {
        try
        {
            await AskAsync(LongestRequest, (client, end) => client.AbortMultipartUploadAsync(_bucket, name, upload, end), CancellationToken.None);
        }
        catch (ResultStoreException)
        {
            // The parts stay, until the store's own rules delete them.
        }
    }

    private async Task<T> AskAsync<T>(
        TimeSpan longest, Func<AmazonS3Client, CancellationToken, Task<T>> ask, CancellationToken ct,
        CancellationToken silence = default)
    {
        using var time = CancellationTokenSource.CreateLinkedTokenSource(ct, silence);
        time.CancelAfter(longest);
        try
        {
            return await ask(_client.Value, time.Token);
        }
        catch (AmazonS3Exception failure) when (failure.ErrorCode is "EntityTooLarge" or "KeyTooLongError")
        {
            // No store would take it: the job's failure, which is not tried for ever.
            throw new IOException($"{this} takes no file so large, or no name so long ({failure.ErrorCode})", failure);
        }
        catch (Exception failure) when (failure
            is AmazonServiceException or AmazonClientException or HttpRequestException or IOException or TimeoutException
            or OperationCanceledException)
        {
            ct.ThrowIfCancellationRequested();
            throw new ResultStoreException($"{this} {Explain(failure)}", failure);
        }
    }

    private AmazonS3Client Connect(AWSCredentials? credentials)
    {
        var settings = new AmazonS3Config
        {
            ConnectTimeout = _longestConnect,
            Timeout = Timeout.InfiniteTimeSpan,

            // Not every other store knows the checksums that Amazon's own takes.
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
        };
        if (_endpoint is not null)
        {
            if (!Uri.TryCreate(_endpoint, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            {
                throw new ResultStoreException(
                    $"{this} cannot be asked: AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL, is no URL: write https://HOST or https://HOST:PORT");
            }

            // A store of one's own has as a rule no name for each bucket, and no regions.
            settings.ServiceURL = _endpoint;
            settings.ForcePathStyle = true;
            settings.AuthenticationRegion = Variable("AWS_REGION") ?? Variable("AWS_DEFAULT_REGION") ?? "us-east-1";
        }

        return credentials is null ? new AmazonS3Client(settings) : new AmazonS3Client(credentials, settings);
    }

    // Codes: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. The library's own messages may repeat what was sent.
    private static string Explain(Exception failure) => failure switch
    {
        AmazonS3Exception { ErrorCode: "NoSuchBucket" } => "does not exist: make the bucket, or name another",
        AmazonS3Exception { ErrorCode: "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" } told =>
            $"is in another region ({told.ErrorCode}): set AWS_REGION to the bucket's",
        AmazonS3Exception { StatusCode: HttpStatusCode.Forbidden or HttpStatusCode.Unauthorized } told =>
            $"does not let you in ({told.ErrorCode}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of somebody who may list, read, "
            + "write and delete there",
        AmazonS3Exception { ErrorCode: "NotImplemented" } =>
            "does not support If-None-Match, which keeps one result for each job (NotImplemented): name another store",
        AmazonS3Exception { ErrorCode.Length: > 0 } told => $"refuses ({told.ErrorCode}): look into the store's log",
        AmazonClientException => "cannot be asked: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_REGION or, of a store that "
            + "is not Amazon's, AWS_ENDPOINT_URL_S3",
        _ => $"does not answer ({BrokerAddress.Cause(failure)}): see that it runs, and that AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL and "
            + "AWS_REGION name it",
    };

    // docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    [GeneratedRegex(@"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\z")]
    private static partial Regex BucketName();
}
